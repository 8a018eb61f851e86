/* simdpct.c - Lua module for HAProxy: decisions on request targets, and findings. simdpct_haproxy.lua registers the
 * functions as converters, which README.md documents. */

#include <lauxlib.h>
#include <lua.h>
#include <simdpct.h>
#include <string.h>

#define GUARD "simdpct.guard"

int luaopen_simdpct(lua_State *L);

/* simdpct.guard(TEXT): makes a guard. Raises an error that names the invalid word. */
static int new_guard(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    simdpct_guard *guard = lua_newuserdata(L, sizeof *guard);
    char message[1024];

    if (simdpct_guard_from_text(guard, text, len, NULL) != SIMDPCT_OK) {
        simdpct_guard_error(text, len, message, sizeof message);
        return luaL_error(L, "%s", message);
    }
    luaL_setmetatable(L, GUARD);
    return 1;
}

/* simdpct.decide(TARGET, GUARD): returns the target to use, or nil if the guard refuses it. The second result is the
 * line for a log, or nil; a guard that only reports returns both. */
static int decide(lua_State *L) {
    size_t len;
    const char *target = luaL_checklstring(L, 1, &len);
    const simdpct_guard *guard = luaL_checkudata(L, 2, GUARD);
    luaL_Buffer buffer;
    simdpct_verdict verdict;
    char line[1024], *room = luaL_buffinitsize(L, &buffer, len);
    uint32_t action = simdpct_guard_check(guard, SIMDPCT_METHOD_OTHER, target, len, room, len, &verdict);

    if (verdict.status == SIMDPCT_NO_ROOM) {
        const size_t needed = verdict.value;
        /* Nothing was added to the buffer, so this pointer is its beginning. */
        room = luaL_prepbuffsize(&buffer, needed);
        action = simdpct_guard_check(guard, SIMDPCT_METHOD_OTHER, target, len, room, needed, &verdict);
    }

    switch (action) {
    case SIMDPCT_ACTION_PASS:
        lua_pushvalue(L, 1);
        break;
    case SIMDPCT_ACTION_REWRITE:
        luaL_pushresultsize(&buffer, verdict.value);
        break;
    default:
        lua_pushnil(L);
    }
    if (verdict.status == SIMDPCT_OK) {
        lua_pushnil(L);
    } else {
        simdpct_verdict_write(&verdict, target, len, line, sizeof line);
        lua_pushfstring(L, "%s%s", line, action == SIMDPCT_ACTION_PASS ? ", report only" : "");
    }
    return 2;
}

/* simdpct.findings(TEXT): the names of the kinds found, separated by commas, or "-". */
static int findings(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    char names[1024];

    simdpct_findings_write(text, len, names, sizeof names);
    lua_pushstring(L, names);
    return 1;
}

int luaopen_simdpct(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"guard", new_guard},
        {"decide", decide},
        {"findings", findings},
        {NULL, NULL},
    };

    /* Detects the CPU before there are threads. */
    simdpct_level();
    luaL_newmetatable(L, GUARD);
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    return 1;
}
