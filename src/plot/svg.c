/* svg.c - text of an SVG file.
 *
 * Numbers are written by integer arithmetic: neither the locale nor the C library has a say in the bytes. Texts lose what
 * XML cannot hold: control characters become blanks, bytes that are no UTF-8 become U+FFFD. */
#include "plot/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put(ss_svg *svg, const char *text, size_t n)
{
    if (svg->status == SS_OK) {
        svg->status = ss_reserve(svg->ctx, &svg->text, &svg->capacity, svg->used + (int)n, 1);
    }
    if (svg->status == SS_OK) {
        memcpy(svg->text + svg->used, text, n);
        svg->used += (int)n;
    }
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static void put_number(ss_svg *svg, double value)
{
    char text[32];
    long hundredths = lround(fmin(fmax(value, -1e6), 1e6) * 100);
    long whole = labs(hundredths) / 100, part = labs(hundredths) % 100;
    int n = snprintf(text, sizeof text, "%s%ld", hundredths < 0 ? "-" : "", whole);
    if (part > 0) {
        n += snprintf(text + n, sizeof text - (size_t)n, part % 10 == 0 ? ".%ld" : ".%02ld", part % 10 == 0 ? part / 10 : part);
    }
    put(svg, text, (size_t)n);
}

/* ---- texts ------------------------------------------------------------------------------------- */

/* bytes of the character at c if it is well-formed UTF-8 that XML allows, else 0 */
static int utf8_length(const unsigned char *c)
{
    int n = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < n; k++) {
        if ((c[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xed && c[1] > 0x9f, beyond = c[0] == 0xf4 && c[1] > 0x8f;
    bool forbidden = c[0] == 0xef && c[1] == 0xbf && c[2] > 0xbd; /* U+FFFE, U+FFFF */
    return n > 1 && (overlong || surrogate || beyond || forbidden) ? 0 : n;
}

static const char *entity(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '\'':
        return "&#39;";
    case '"':
        return "&quot;";
    default:
        return c < 0x20 || c == 0x7f ? " " : NULL;
    }
}

static void put_escaped(ss_svg *svg, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int n = utf8_length(c);
        const char *replaced = n == 0 ? "\xef\xbf\xbd" : n == 1 ? entity(*c) : NULL;
        if (replaced) {
            put(svg, replaced, strlen(replaced));
        } else {
            put(svg, (const char *)c, (size_t)n);
        }
        c += n > 0 ? n : 1;
    }
}

/* widths of Helvetica in three classes are near enough for margins and legends */
double ss_svg_text_width(const char *text)
{
    double width = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if ((*c & 0xc0) == 0x80) {
            continue; /* inside a character */
        }
        width += strchr("fijlrtI.,:;'|!()[] ", *c) ? 0.32 : strchr("mwMWO@%", *c) ? 0.85 : *c >= 'A' && *c <= 'Z' ? 0.69 : 0.56;
    }
    return width;
}

/* ---- templates --------------------------------------------------------------------------------- */

void ss_svg_add(ss_svg *svg, const char *template, ...)
{
    va_list values;
    va_start(values, template);
    for (const char *c = template; *c;) {
        size_t plain = strcspn(c, "~$");
        put(svg, c, plain);
        c += plain;
        if (*c == '~') {
            put_number(svg, va_arg(values, double));
        } else if (*c == '$') {
            put_escaped(svg, va_arg(values, const char *));
        }
        c += *c != '\0';
    }
    va_end(values);
}
