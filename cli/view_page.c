/* view_page.c - data in a page: JSON that cannot end the element it stands in, and numbers as base64.
 *
 * In JSON a "<" can occur within a text only, where it is written as \u003c: so nothing of a scene can be read as HTML.
 * Numbers are in the byte order of the machine, which browsers expect to be little-endian. */
#include "view.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays of a page are little-endian");

static const char *const type_names[] = {
    [VIEW_F32] = "f32", [VIEW_F64] = "f64", [VIEW_U16] = "u16", [VIEW_U32] = "u32", [VIEW_I32] = "i32", [VIEW_U8] = "u8",
};

/* ---- JSON -------------------------------------------------------------------------------------- */

static int put_escaped(const char *text, size_t n, void *user)
{
    FILE *file = user;
    for (size_t k = 0; k < n; k++) {
        if (text[k] == '<') {
            fputs("\\u003c", file);
        } else {
            putc(text[k], file);
        }
    }
    return ferror(file) ? -1 : 0;
}

void view_put_json(view_page *page, const json_t *value)
{
    enum { DIGITS = 12 };
    fputs("<script type=\"application/json\" class=\"result\">", page->file);
    json_dump_callback(value, put_escaped, page->file, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS));
    fputs("</script>\n", page->file);
}

/* ---- arrays ------------------------------------------------------------------------------------ */

/* 3 bytes are 4 letters of 6 bits each; fewer bytes fewer letters, filled up with "=" */
static void put_letters(FILE *file, const unsigned char bytes[3], int n)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
    char letters[4];
    for (int k = 0; k < 4; k++) {
        letters[k] = k <= n ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
    }
    fwrite(letters, 1, sizeof letters, file);
}

void view_open_array(view_page *page, const char *name, view_type type)
{
    page->wait = 0;
    fprintf(page->file, "<script type=\"application/base64\" data-result=\"%d\" data-name=\"%s\" data-type=\"%s\">", page->result,
            name, type_names[type]);
}

void view_put_bytes(view_page *page, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    for (size_t k = 0; k < n; k++) {
        page->waiting[page->wait++] = from[k];
        if (page->wait == 3) {
            put_letters(page->file, page->waiting, 3);
            page->wait = 0;
        }
    }
}

void view_close_array(view_page *page)
{
    if (page->wait > 0) {
        memset(page->waiting + page->wait, 0, (size_t)(3 - page->wait));
        put_letters(page->file, page->waiting, page->wait);
    }
    fputs("</script>\n", page->file);
}

void view_put_array(view_page *page, const char *name, view_type type, const void *bytes, size_t n)
{
    view_open_array(page, name, type);
    view_put_bytes(page, bytes, n);
    view_close_array(page);
}
