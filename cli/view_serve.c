/* view_serve.c - a page for a browser on this machine: a server on 127.0.0.1 that knows this one page.
 *
 * One request at a time: the page for GET /, and 404 for all else. A request whose Host is not this very address is refused,
 * so that no page from elsewhere can read the results under a name of its own. It ends with SIGINT (Ctrl-C). */
#include "view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST = 8192, PATIENCE_MS = 2000, LOOK_MS = 200 };

/* a socket that listens on a free port of 127.0.0.1; -1: none */
static int listen_here(int *port)
{
    struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof here;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s >= 0 && bind(s, (struct sockaddr *)&here, size) == 0 && listen(s, 8) == 0 &&
        getsockname(s, (struct sockaddr *)&here, &size) == 0) {
        *port = ntohs(here.sin_port);
        return s;
    }
    if (s >= 0) {
        close(s);
    }
    return -1;
}

static bool is_ready(int s, int milliseconds)
{
    struct pollfd wait = { .fd = s, .events = POLLIN };
    return poll(&wait, 1, milliseconds) > 0;
}

/* the head of a request, as far as it comes in time */
static void read_request(int s, char request[REQUEST])
{
    size_t n = 0;
    ssize_t got = 1;
    request[0] = '\0';
    while (got > 0 && n < REQUEST - 1 && !strstr(request, "\r\n\r\n") && is_ready(s, PATIENCE_MS)) {
        got = read(s, request + n, REQUEST - 1 - n);
        n += got > 0 ? (size_t)got : 0;
        request[n] = '\0';
    }
}

static bool asks_us(const char *request, int port)
{
    static const char *const names[] = { "127.0.0.1", "localhost" };
    char host[64];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        snprintf(host, sizeof host, "\r\nHost: %s:%d\r\n", names[k], port);
        for (const char *line = strstr(request, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
            if (strncasecmp(line, host, strlen(host)) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void answer(FILE *to, const char *request, int port, const view_text *page)
{
    bool ours = asks_us(request, port), known = strncmp(request, "GET / ", 6) == 0;
    const char *status = !ours ? "403 Forbidden" : known ? "200 OK" : "404 Not Found";
    size_t length = ours && known ? page->length : 0;
    fprintf(to, "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
            status, length);
    fwrite(page->text, 1, length, to);
}

static void serve_one(int server, int port, const view_text *page)
{
    char request[REQUEST];
    int s = accept(server, NULL, NULL);
    FILE *to = s >= 0 ? fdopen(s, "wb") : NULL;
    if (to) {
        read_request(s, request);
        answer(to, request, port, page);
        fclose(to);
    } else if (s >= 0) {
        close(s);
    }
}

int view_serve(const view_text *page)
{
    int port = 0, server = listen_here(&port);
    if (server < 0) {
        cli_say("--serve: no port of 127.0.0.1 can be used: %s", strerror(errno));
        return CLI_FAILED;
    }
    const volatile int *interrupted = cli_catch_signals();
    printf("http://127.0.0.1:%d/ shows it; Ctrl-C ends\n", port);
    fflush(stdout);
    while (!*interrupted) {
        if (is_ready(server, LOOK_MS)) {
            serve_one(server, port, page);
        }
    }
    close(server);
    return CLI_DONE;
}
