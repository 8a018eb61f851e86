/* simdpct.c - Lua module for HAProxy: findings, canonical paths and refusals. simdpct_haproxy.lua makes converters of the
 * functions, and README.md documents these. */

#include <lauxlib.h>
#include <lua.h>

#include "guard.h"

#define POLICY "simdpct.policy"

int luaopen_simdpct(lua_State *L);

/* simdpct.policy(TEXT): a path policy; an error that names the invalid word. */
static int new_policy(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    simdpct_path_policy *policy = lua_newuserdata(L, sizeof *policy);
    simdpct_result result;

    if (guard_policy_init(policy, text, len, &result) != SIMDPCT_OK) {
        const size_t word = strcspn(text + result.value, " ");
        lua_pushlstring(L, text + result.value, word);
        return luaL_error(L, "invalid path policy \"%s\"", lua_tostring(L, -1));
    }
    luaL_setmetatable(L, POLICY);
    return 1;
}

/* The canonical path of a text, in a buffer on the stack of Lua: luaL_pushresultsize makes a string of it. */
static simdpct_result canonical_path(lua_State *L, const simdpct_path_policy *policy, const char *text, size_t len, luaL_Buffer *buffer) {
    char *room = luaL_buffinitsize(L, buffer, len);
    simdpct_result result;

    if (simdpct_path(policy, text, len, room, len, &result) == SIMDPCT_NO_ROOM) {
        const size_t needed = result.value;
        uint32_t status;
        /* Nothing was added to the buffer, so this is its beginning. */
        room = luaL_prepbuffsize(buffer, needed);
        status = simdpct_path(policy, text, len, room, needed, &result);
        (void)status; /* as in the result */
    }
    return result;
}

/* simdpct.path(TEXT, POLICY): the canonical path, or nil if the policy refuses it. */
static int path(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    const simdpct_path_policy *policy = luaL_checkudata(L, 2, POLICY);
    luaL_Buffer buffer;
    const simdpct_result result = canonical_path(L, policy, text, len, &buffer);

    if (result.status == SIMDPCT_OK) {
        luaL_pushresultsize(&buffer, result.value);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

/* The line of a result for a log, or nil if it is OK. */
static int push_line(lua_State *L, simdpct_result result, const char *text, size_t len) {
    char line[512];

    if (result.status == SIMDPCT_OK) {
        lua_pushnil(L);
    } else {
        simdpct_result_write(&result, text, len, line, sizeof line);
        lua_pushstring(L, line);
    }
    return 1;
}

/* simdpct.refused(TEXT, POLICY): why the policy refuses a path, with kind, position and escaped bytes; nil if it does not. */
static int refused(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    const simdpct_path_policy *policy = luaL_checkudata(L, 2, POLICY);
    luaL_Buffer buffer;

    return push_line(L, canonical_path(L, policy, text, len, &buffer), text, len);
}

/* simdpct.found(TEXT, KINDS): the same for a number of kinds. */
static int found(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);

    return push_line(L, guard_check(text, len, (uint32_t)luaL_checkinteger(L, 2)), text, len);
}

/* simdpct.findings(TEXT): the names of the kinds found, separated by commas, or "-". */
static int findings(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    const uint32_t kinds = simdpct_inspect(text, len, SIMDPCT_FIND_ALL, NULL);
    char names[512] = "-";

    if (kinds != 0) {
        simdpct_kinds_write(kinds, names, sizeof names);
    }
    lua_pushstring(L, names);
    return 1;
}

/* simdpct.kinds(NAME): the number of a kind, or of "default"; an error if there is none. */
static int kinds(lua_State *L) {
    size_t len;
    const char *name = luaL_checklstring(L, 1, &len);
    const uint32_t number = guard_kinds(name, len);

    if (number == 0) {
        return luaL_error(L, "invalid kind \"%s\"", name);
    }
    lua_pushinteger(L, number);
    return 1;
}

int luaopen_simdpct(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"policy", new_policy}, {"path", path},   {"refused", refused}, {"found", found},
        {"findings", findings}, {"kinds", kinds}, {NULL, NULL},
    };

    /* Detects the CPU before there are threads. */
    simdpct_level();
    luaL_newmetatable(L, POLICY);
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    return 1;
}
