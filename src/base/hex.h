/*-------------------------------------------------------------------------
 *
 * hex.h
 *	  Hexadecimal digits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_HEX_H
#define DELTACC_HEX_H

/* The value of a digit; -1 for what is none. */
static inline int
deltacc_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

#endif							/* DELTACC_HEX_H */
