/* viewer_page.c - the built viewer, viewer/page.html, as part of the program: it is found from any folder, installed or not. */
#include "view.h"

__asm__(".pushsection .rodata\n"
        ".global view_template\n"
        "view_template:\n"
        ".incbin \"" VIEWER_PAGE "\"\n"
        ".byte 0\n"
        ".popsection\n");
