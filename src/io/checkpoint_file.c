/* checkpoint_file.c - the state of a simulation in a file.
 *
 *     8 bytes   "slipstck"
 *     8         version of this layout (1)
 *     8         size of the blob
 *     8         check sum of the blob
 *     size      the blob of ss_sim_save
 *
 * Numbers are unsigned, in the machine's byte order: a checkpoint belongs to the kind of machine that wrote it.
 * The file is written beside its place and renamed, so that an old checkpoint survives a full disk. Whether the state belongs
 * to the scene is checked by ss_sim_restore. */
#include "base/base.h"

#include <errno.h>
#include <slipstick/io.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
    char magic[8];
    uint64_t version, size, sum;
} header;

static const char magic_text[8] = { 's', 'l', 'i', 'p', 's', 't', 'c', 'k' };
enum { VERSION = 1 };

/* ---- writing ----------------------------------------------------------------------------------- */

static ss_status write_file(ss_context *ctx, const char *path, const header *head, const void *blob)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    bool good = fwrite(head, sizeof *head, 1, file) == 1 && (head->size == 0 || fwrite(blob, head->size, 1, file) == 1);
    good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int error = errno;
    good = fclose(file) == 0 && good;
    if (!good) {
        remove(path);
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(error));
    }
    return SS_OK;
}

/* PATH.new, to be freed */
static ss_status place_beside(ss_context *ctx, const char *path, char **beside)
{
    size_t size = strlen(path) + 5;
    SS_TRY(ss_calloc(ctx, size, 1, beside));
    snprintf(*beside, size, "%s.new", path);
    return SS_OK;
}

static ss_status replace_file(ss_context *ctx, const char *path, const header *head, const void *blob)
{
    char *beside;
    SS_TRY(place_beside(ctx, path, &beside));
    ss_status status = write_file(ctx, beside, head, blob);
    if (status == SS_OK && rename(beside, path) != 0) {
        status = ss_fail(ctx, SS_ERR_IO, "%s: cannot be replaced: %s", path, strerror(errno));
        remove(beside);
    }
    ss_free(ctx, beside);
    return status;
}

/* a file can be made in the same folder, and the path itself is not a folder */
ss_status ss_checkpoint_try(ss_context *ctx, const char *path)
{
    struct stat there;
    char *beside;
    SS_TRY(place_beside(ctx, path, &beside));
    bool folder = stat(path, &there) == 0 && S_ISDIR(there.st_mode);
    FILE *file = folder ? NULL : fopen(beside, "wb");
    ss_status status = SS_OK;
    if (file) {
        fclose(file);
        remove(beside);
    } else {
        status = ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(folder ? EISDIR : errno));
    }
    ss_free(ctx, beside);
    return status;
}

ss_status ss_checkpoint_write(const ss_sim *sim, ss_context *ctx, const char *path)
{
    void *blob = NULL;
    size_t size = 0;
    SS_TRY(ss_sim_save(sim, &blob, &size));
    header head = { .version = VERSION, .size = size, .sum = ss_hash(0, blob, size) };
    memcpy(head.magic, magic_text, sizeof magic_text);
    ss_status status = replace_file(ctx, path, &head, blob);
    ss_blob_free(ctx, blob);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static ss_status check_header(ss_context *ctx, const char *path, const header *head, uint64_t rest)
{
    if (memcmp(head->magic, magic_text, sizeof magic_text) != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: not a checkpoint", path);
    }
    if (head->version != VERSION) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: checkpoint of version %llu, expected %d", path, (unsigned long long)head->version,
                       VERSION);
    }
    if (head->size != rest) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: truncated checkpoint: %llu bytes of state, expected %llu", path,
                       (unsigned long long)rest, (unsigned long long)head->size);
    }
    return SS_OK;
}

static ss_status read_blob(ss_sim *sim, ss_context *ctx, const char *path, const header *head, FILE *file)
{
    void *blob;
    SS_TRY(ss_calloc(ctx, (size_t)head->size + 1, 1, &blob));
    ss_status status = SS_OK;
    if (head->size > 0 && fread(blob, (size_t)head->size, 1, file) != 1) {
        status = ss_fail(ctx, SS_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    } else if (ss_hash(0, blob, (size_t)head->size) != head->sum) {
        status = ss_fail(ctx, SS_ERR_INPUT, "%s: damaged checkpoint: the check sum differs", path);
    } else {
        status = ss_sim_restore(sim, blob, (size_t)head->size);
        status = status == SS_OK ? SS_OK : ss_fail_within(ctx, status, "%s", path);
    }
    ss_free(ctx, blob);
    return status;
}

ss_status ss_checkpoint_read(ss_sim *sim, ss_context *ctx, const char *path)
{
    header head;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    ss_status status;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    if (end < (long)sizeof head || fread(&head, sizeof head, 1, file) != 1) {
        status = ss_fail(ctx, SS_ERR_INPUT, "%s: not a checkpoint", path);
    } else {
        status = check_header(ctx, path, &head, (uint64_t)end - sizeof head);
    }
    if (status == SS_OK) {
        status = read_blob(sim, ctx, path, &head, file);
    }
    fclose(file);
    return status;
}
