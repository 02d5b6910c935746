/*-------------------------------------------------------------------------
 *
 * deletion_vector.h
 *	  Deletion vectors: the descriptor in a file action, and the rows that its
 *	  bytes hold.
 *
 * Files are not read here.  Whoever has the bytes of a vector that lies in a
 * file hands them in as they stand there: size, data, checksum.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_DELETION_VECTOR_H
#define DELTACC_DELETION_VECTOR_H

#include "base/json_scan.h"
#include "delta/row_set.h"

/* A file of deletion vectors begins with this byte. */
#define DELETION_VECTOR_FILE_VERSION 1

/* Around the data of a vector in a file: its size before, a checksum behind. */
#define DELETION_VECTOR_FRAME 8

typedef struct DeletionVector
{
	char		storage;		/* 'i' inline, 'u' a file named by its uuid, 'p' a
								 * file by its absolute path */
	const char *text;			/* pathOrInlineDv */
	const char *id;				/* unique: storage, text, "@" offset */
	int64		offset;			/* of the frame in the file */
	int64		size;			/* of the data */
	int64		cardinality;
} DeletionVector;

/*
 * Reads a descriptor: the object behind "deletionVector".  False with what is
 * wrong in *why.  In the current memory context.
 */
extern bool deltacc_deletion_vector_read(const JsonSlice *object, DeletionVector *dv, const char **why);

/* Are bytes from elsewhere needed?  Neither for an inline vector nor for one
 * without rows. */
extern bool deltacc_deletion_vector_in_file(const DeletionVector *dv);

/*
 * The file that a vector lies in, as a path of the file system.  location: the
 * table's directory, a path or a URI with "file:"; NULL unknown.  NULL with what
 * is wrong in *why for one that is in no local file.
 */
extern char *deltacc_deletion_vector_path(const DeletionVector *dv, const char *location, const char **why);

/*
 * The rows of a vector.  frame: what stands in the file at its offset, with
 * size and checksum; not looked at where deltacc_deletion_vector_in_file is
 * false.  The set may point into frame.  NULL with what is wrong in *why for
 * bytes that are no such vector: nothing of them is believed before it is
 * checked, the number of rows included.
 */
extern RowSet *deltacc_deletion_vector_rows(const DeletionVector *dv, const uint8 *frame, Size len,
											const char **why);

/* The descriptor of an inline vector, as JSON. */
extern char *deltacc_deletion_vector_inline(const RowSet *rows);

#endif							/* DELTACC_DELETION_VECTOR_H */
