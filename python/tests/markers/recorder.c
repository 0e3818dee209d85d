/* Records the NVTX ranges of a process:
 *
 *     cc -shared -fPIC -O1 -o recorder.so recorder.c
 *     NVTX_INJECTION64_PATH=./recorder.so NVTX_RECORD=ranges.txt python loops.py mlp
 *
 * A line per call: nanoseconds, thread, and `+` with the text of a range that opens or `-` for one that closes.
 * The little of NVTX's binary interface (version 3) that this takes is declared here, so no headers are needed. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void (*any_function)(void);

/* What a program hands to an injection library: tables of pointers to its functions, by module. */
struct callbacks {
    size_t size;
    int (*table)(int module, any_function ***functions, unsigned *count);
};

enum { TABLES_OF_CALLBACKS = 1 };
enum { CORE = 1, CORE_PUSH_EX = 8, CORE_PUSH = 9, CORE_POP = 11 };
enum { DOMAINS = 5, DOMAIN_PUSH = 4, DOMAIN_POP = 5, REGISTER_STRING = 10, CREATE_DOMAIN = 12 };
enum { PLAIN_TEXT = 1, REGISTERED_TEXT = 3 };

/* The attributes of a range. */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t text_type;
    const void *text;
};

static FILE *out;

static void write_line(char kind, const char *text) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    flockfile(out);
    fprintf(out, "%lld\t%ld\t%c", now.tv_sec * 1000000000LL + now.tv_nsec, syscall(SYS_gettid), kind);
    for (; *text; text++) fputc(*text == '\n' || *text == '\t' ? ' ' : *text, out);
    fputc('\n', out);
    funlockfile(out);
}

static const char *text_of(const struct attributes *says) {
    int has_text = says && (says->text_type == PLAIN_TEXT || says->text_type == REGISTERED_TEXT) && says->text;
    return has_text ? says->text : "";
}

static int push(const char *text) { write_line('+', text ? text : ""); return 0; }
static int push_ex(const struct attributes *says) { return push(text_of(says)); }
static int pop(void) { write_line('-', ""); return 0; }
static int push_in_domain(void *domain, const struct attributes *says) { (void)domain; return push_ex(says); }
static int pop_in_domain(void *domain) { (void)domain; return pop(); }
static void *create_domain(const char *name) { return strdup(name ? name : ""); }
static void *register_string(void *domain, const char *text) { (void)domain; return strdup(text ? text : ""); }

static void set(any_function **functions, unsigned count, unsigned which, any_function function) {
    if (which < count && functions[which]) *functions[which] = function;
}

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
    const struct callbacks *callbacks = export_table(TABLES_OF_CALLBACKS);
    const char *path = getenv("NVTX_RECORD");
    any_function **functions;
    unsigned count;
    if (!callbacks || !path || !(out = out ? out : fopen(path, "w"))) return 0;
    if (callbacks->table(CORE, &functions, &count)) {
        set(functions, count, CORE_PUSH, (any_function)push);
        set(functions, count, CORE_PUSH_EX, (any_function)push_ex);
        set(functions, count, CORE_POP, (any_function)pop);
    }
    if (callbacks->table(DOMAINS, &functions, &count)) {
        set(functions, count, DOMAIN_PUSH, (any_function)push_in_domain);
        set(functions, count, DOMAIN_POP, (any_function)pop_in_domain);
        set(functions, count, REGISTER_STRING, (any_function)register_string);
        set(functions, count, CREATE_DOMAIN, (any_function)create_domain);
    }
    return 1;
}
