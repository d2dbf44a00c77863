/* claim.h - the right to write a file, which one writer at a time can have. */
#ifndef SS_CLAIM_H
#define SS_CLAIM_H

#include "base/base.h"

typedef struct ss_claim {
    int file;   /* open for writing, and locked; -1: none    */
    bool fresh; /* there was no file of this name before     */
} ss_claim;

/* Open a file for writing, or make it, and claim it; what it holds stays. SS_ERR_IO: it cannot be opened, or another writer,
 * in this process or another, has claimed it. The claim is none then. */
ss_status ss_claim_take(ss_context *ctx, const char *path, ss_claim *out);
/* Is the claimed file (still) the one of this name? */
bool ss_claim_is_of(const ss_claim *claim, const char *path);
/* Write to the claimed file; false: errno says why. */
bool ss_claim_write(const ss_claim *claim, const void *bytes, size_t size);
/* The claimed file `beside` takes the place of the file `path`, claimed as well: *held is of the new file then, and *next is
 * none. False: errno says why, and both are as they were. */
bool ss_claim_replace(ss_claim *next, const char *beside, ss_claim *held, const char *path);
/* Close the file, which ends the claim; negative: what was written may be lost. */
int ss_claim_release(ss_claim *claim);

#endif
