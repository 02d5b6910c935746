/*-------------------------------------------------------------------------
 *
 * utf8.h
 *	  Characters of UTF-8 strings as Spark's UTF8String counts them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_UTF8_H
#define DELTACC_UTF8_H

#include "delta/value.h"

/*
 * Bytes of the character that starts at s, by its first byte alone; a byte
 * that starts none counts as one.  Never more than the bytes left.
 */
static inline int
utf8_step(const char *s, int left)
{
	unsigned char c = (unsigned char) *s;
	int			n = 1;

	if (c >= 0xC2 && c <= 0xDF)
		n = 2;
	else if (c >= 0xE0 && c <= 0xEF)
		n = 3;
	else if (c >= 0xF0 && c <= 0xF4)
		n = 4;
	return Min(n, left);
}

static inline int
utf8_length(const char *s, int len)
{
	int			chars = 0;

	for (int i = 0; i < len; i += utf8_step(s + i, len - i))
		chars++;
	return chars;
}

/* The byte offset of character number chars (from 0); len past the end. */
static inline int
utf8_offset(const char *s, int len, int chars)
{
	int			i = 0;

	while (i < len && chars-- > 0)
		i += utf8_step(s + i, len - i);
	return i;
}

/* The code point of the character at s of n bytes; -1 for a broken one. */
static inline int32
utf8_code_point(const char *s, int n)
{
	const unsigned char *u = (const unsigned char *) s;

	for (int i = 1; i < n; i++)
	{
		if ((u[i] & 0xC0) != 0x80)
			return -1;
	}
	switch (n)
	{
		case 1:
			return u[0] < 0x80 ? u[0] : -1;
		case 2:
			return u[0] >= 0xC2 ? (u[0] & 0x1F) << 6 | (u[1] & 0x3F) : -1;
		case 3:
			return (u[0] & 0x0F) << 12 | (u[1] & 0x3F) << 6 | (u[2] & 0x3F);
		default:
			return (u[0] & 0x07) << 18 | (u[1] & 0x3F) << 12 | (u[2] & 0x3F) << 6 | (u[3] & 0x3F);
	}
}

/* Writes a code point; the number of bytes. */
static inline int
utf8_put(char *s, int32 c)
{
	if (c < 0x80)
	{
		s[0] = (char) c;
		return 1;
	}
	if (c < 0x800)
	{
		s[0] = (char) (0xC0 | c >> 6);
		s[1] = (char) (0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000)
	{
		s[0] = (char) (0xE0 | c >> 12);
		s[1] = (char) (0x80 | (c >> 6 & 0x3F));
		s[2] = (char) (0x80 | (c & 0x3F));
		return 3;
	}
	s[0] = (char) (0xF0 | c >> 18);
	s[1] = (char) (0x80 | (c >> 12 & 0x3F));
	s[2] = (char) (0x80 | (c >> 6 & 0x3F));
	s[3] = (char) (0x80 | (c & 0x3F));
	return 4;
}

#endif							/* DELTACC_UTF8_H */
