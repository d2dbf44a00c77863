/* claim.c - claims on files, as locks of the open file description (fcntl, F_OFD_SETLK) over the whole file.
 *
 * Such a lock belongs to the open file, not to the process: two writers in one process exclude each other as two processes do,
 * and closing the same file elsewhere (HDF5 opens it by its name once more) does not end it. The system drops the lock with
 * the last handle, so a process that is killed leaves none. The lock is advisory and keeps no reader away; it does not meet
 * the locks by flock() with which HDF5 opens files.
 *
 * Between opening and locking, another writer may have renamed or removed the file: then the name is opened again. Devices and
 * pipes are not locked. On a file system without locks the file is written all the same, with a warning. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "base/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static ss_status cannot_write(ss_context *ctx, const char *path, const char *why)
{
    return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, why);
}

/* fresh: the name was free when the file was made */
static ss_status open_file(ss_context *ctx, const char *path, ss_claim *c)
{
    c->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    c->fresh = c->file >= 0;
    if (!c->fresh && errno == EEXIST) {
        c->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    }
    return c->file < 0 ? cannot_write(ctx, path, strerror(errno)) : SS_OK;
}

static ss_status lock_file(ss_context *ctx, const char *path, const ss_claim *c)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(c->file, F_OFD_SETLK, &whole) == 0) {
        return SS_OK;
    }
    if (errno == EAGAIN || errno == EACCES) {
        return cannot_write(ctx, path, "it is already being written, by another run or by another option of this one");
    }
    ss_log(ctx, SS_LOG_WARNING, "%s: no locks on this file system (%s): a second run that writes the same file is not noticed",
           path, strerror(errno));
    return SS_OK;
}

static bool is_plain(const ss_claim *c)
{
    struct stat about;
    return fstat(c->file, &about) == 0 && S_ISREG(about.st_mode);
}

bool ss_claim_is_of(const ss_claim *c, const char *path)
{
    struct stat here, there;
    return fstat(c->file, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

ss_status ss_claim_take(ss_context *ctx, const char *path, ss_claim *out)
{
    bool settled = false;
    *out = (ss_claim){ .file = -1 };
    while (!settled) {
        SS_TRY(open_file(ctx, path, out));
        bool plain = is_plain(out);
        ss_status status = plain ? lock_file(ctx, path, out) : SS_OK;
        settled = status == SS_OK && (!plain || ss_claim_is_of(out, path));
        if (!settled) {
            ss_claim_release(out);
        }
        SS_TRY(status);
    }
    return SS_OK;
}

bool ss_claim_write(const ss_claim *c, const void *bytes, size_t size)
{
    for (const char *p = bytes; size > 0;) {
        ssize_t n = write(c->file, p, size);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        p += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool ss_claim_replace(ss_claim *next, const char *beside, ss_claim *held, const char *path)
{
    if (rename(beside, path) != 0) {
        return false;
    }
    ss_claim_release(held);
    *held = *next;
    *next = (ss_claim){ .file = -1 };
    return true;
}

int ss_claim_release(ss_claim *c)
{
    int status = c->file >= 0 ? close(c->file) : 0;
    c->file = -1;
    return status;
}
