/* checkpoint_file.c - the state of a simulation in a file.
 *
 *     8 bytes   "slipstck"
 *     8         version of this layout (1)
 *     8         size of the blob
 *     8         check sum of the blob
 *     size      the blob of ss_sim_save
 *
 * Numbers are unsigned, in the machine's byte order: a checkpoint belongs to the kind of machine that wrote it.
 * The file is written beside its place, as PATH.new, and renamed, so that an old checkpoint survives a full disk. Whether the
 * state belongs to the scene is checked by ss_sim_restore.
 *
 * The place is claimed from open to close. A claim belongs to a file, and every save makes a new one. So whoever writes here
 * has claimed the file of this name or, as long as there is none, PATH.new; both change their names at once in a rename. */
#include "base/claim.h"

#include <errno.h>
#include <slipstick/io.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct ss_checkpoint {
    ss_context *ctx;
    char *path, *beside;
    ss_claim held; /* of the checkpoint that is there  */
    ss_claim next; /* of PATH.new                      */
};

typedef struct header {
    char magic[8];
    uint64_t version, size, sum;
} header;

static const char magic_text[8] = { 's', 'l', 'i', 'p', 's', 't', 'c', 'k' };
enum { VERSION = 1 };

/* ---- writing ----------------------------------------------------------------------------------- */

static ss_status failure(const ss_checkpoint *c, int error)
{
    return ss_fail(c->ctx, SS_ERR_IO, "%s: cannot be written: %s", c->path, strerror(error));
}

/* PATH.new goes away */
static void drop_next(ss_checkpoint *c)
{
    if (c->next.file >= 0) {
        remove(c->beside);
    }
    ss_claim_release(&c->next);
}

/* the new file takes the place of the old one */
static bool replace_file(ss_checkpoint *c, const header *head, const void *blob)
{
    const ss_claim *next = &c->next;
    return ftruncate(next->file, 0) == 0 && lseek(next->file, 0, SEEK_SET) == 0 && ss_claim_write(next, head, sizeof *head) &&
           ss_claim_write(next, blob, head->size) && fsync(next->file) == 0 &&
           ss_claim_replace(&c->next, c->beside, &c->held, c->path);
}

static ss_status save_blob(ss_checkpoint *c, const void *blob, size_t size)
{
    header head = { .version = VERSION, .size = size, .sum = ss_hash(0, blob, size) };
    memcpy(head.magic, magic_text, sizeof magic_text);
    if (c->next.file < 0) {
        SS_TRY(ss_claim_take(c->ctx, c->beside, &c->next));
    }
    if (!replace_file(c, &head, blob)) {
        int error = errno;
        drop_next(c);
        return failure(c, error);
    }
    return SS_OK;
}

ss_status ss_checkpoint_save(ss_checkpoint *c, const ss_sim *sim)
{
    void *blob = NULL;
    size_t size = 0;
    SS_TRY(ss_sim_save(sim, &blob, &size));
    ss_status status = save_blob(c, blob, size);
    ss_blob_free(c->ctx, blob);
    return status;
}

/* ---- the place --------------------------------------------------------------------------------- */

static ss_status name_places(ss_checkpoint *c, const char *path)
{
    size_t size = strlen(path) + sizeof ".new";
    SS_TRY(ss_strdup(c->ctx, path, &c->path));
    SS_TRY(ss_calloc(c->ctx, size, 1, &c->beside));
    snprintf(c->beside, size, "%s.new", path);
    return SS_OK;
}

/* the checkpoint that is there is claimed, and PATH.new can be made */
static ss_status claim_checkpoint(ss_checkpoint *c)
{
    SS_TRY(ss_claim_take(c->ctx, c->path, &c->held));
    SS_TRY(ss_claim_take(c->ctx, c->beside, &c->next));
    drop_next(c);
    return SS_OK;
}

/* while PATH.new was being claimed, another run may have saved its first checkpoint: then that is to be claimed */
static ss_status claim_place(ss_checkpoint *c)
{
    struct stat there;
    while (stat(c->path, &there) != 0) {
        SS_TRY(ss_claim_take(c->ctx, c->beside, &c->next));
        if (stat(c->path, &there) != 0) {
            return SS_OK;
        }
        drop_next(c);
    }
    return S_ISDIR(there.st_mode) ? failure(c, EISDIR) : claim_checkpoint(c);
}

ss_status ss_checkpoint_open(ss_context *ctx, const char *path, ss_checkpoint **out)
{
    ss_checkpoint *c;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *c, &c));
    *c = (ss_checkpoint){ .ctx = ctx, .held = { .file = -1 }, .next = { .file = -1 } };
    ss_status status = name_places(c, path);
    status = status == SS_OK ? claim_place(c) : status;
    if (status != SS_OK) {
        ss_checkpoint_close(c);
        return status;
    }
    *out = c;
    return SS_OK;
}

void ss_checkpoint_close(ss_checkpoint *c)
{
    if (!c) {
        return;
    }
    drop_next(c);
    ss_claim_release(&c->held);
    ss_free(c->ctx, c->path);
    ss_free(c->ctx, c->beside);
    ss_free(c->ctx, c);
}

ss_status ss_checkpoint_try(ss_context *ctx, const char *path)
{
    ss_checkpoint *c;
    SS_TRY(ss_checkpoint_open(ctx, path, &c));
    ss_checkpoint_close(c);
    return SS_OK;
}

ss_status ss_checkpoint_write(const ss_sim *sim, ss_context *ctx, const char *path)
{
    ss_checkpoint *c;
    SS_TRY(ss_checkpoint_open(ctx, path, &c));
    ss_status status = ss_checkpoint_save(c, sim);
    ss_checkpoint_close(c);
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
