-- simdpct.lua - percent-decoding and -encoding, findings and canonical paths, by the C library, for LuaJIT in nginx.
--
-- README.md documents the functions. None of them yields, so all share one result and one buffer for each Lua VM.

local ffi = require "ffi"

local error, pairs, tonumber, type = error, pairs, tonumber, type
local ffi_new, ffi_string, istype = ffi.new, ffi.string, ffi.istype

-- The VM keeps declarations, but may load this file again.
if not pcall(ffi.typeof, "simdpct_lua_decoder") then
    ffi.cdef [[
typedef struct simdpct_result { size_t value; uint32_t status; uint32_t detail; } simdpct_result;
enum { SIMDPCT_OK = 0, SIMDPCT_NO_ROOM = 2 };
size_t simdpct_result_write(const simdpct_result *result, const char *src, size_t len, char *dst, size_t cap);

typedef struct simdpct_set { uint64_t opaque[4]; } simdpct_set;
bool simdpct_set_from_name(simdpct_set *set, const char *name, size_t len);
bool simdpct_set_from_bytes(simdpct_set *set, const char *members, size_t len);

typedef struct simdpct_decoder { uint64_t opaque[64]; } simdpct_decoder;
enum { SIMDPCT_DECODE_LENIENT = 1, SIMDPCT_DECODE_PLUS = 2, SIMDPCT_DECODE_UTF8 = 4 };
bool simdpct_decoder_init(
    simdpct_decoder *decoder, uint32_t flags, const simdpct_set *keep, const simdpct_set *reject);
uint32_t simdpct_decode(
    const simdpct_decoder *decoder, const char *src, size_t len, char *dst, size_t cap, simdpct_result *result);

typedef struct simdpct_encoder { uint64_t opaque[64]; } simdpct_encoder;
enum {
    SIMDPCT_ENCODE_PLUS = 1,
    SIMDPCT_ENCODE_KEEP_TRIPLETS = 2,
    SIMDPCT_ENCODE_KEEP_NON_ASCII = 4,
    SIMDPCT_ENCODE_LOWERCASE = 8
};
bool simdpct_encoder_init(simdpct_encoder *encoder, uint32_t flags, const simdpct_set *escape);
uint32_t simdpct_encode(
    const simdpct_encoder *encoder, const char *src, size_t len, char *dst, size_t cap, simdpct_result *result);

uint32_t simdpct_inspect(const char *src, size_t len, uint32_t kinds, size_t *first);
bool simdpct_kinds_from_text(const char *text, size_t len, uint32_t *kinds);
size_t simdpct_kinds_write(uint32_t kinds, char *dst, size_t cap);
enum { SIMDPCT_FIND_ALL = (1 << 20) - 1 };

typedef struct simdpct_path_policy { uint64_t opaque[128]; } simdpct_path_policy;
uint32_t simdpct_path_policy_init(simdpct_path_policy *policy, const char *text, size_t len, simdpct_result *result);
size_t simdpct_path_policy_error(const char *text, size_t len, char *dst, size_t cap);
size_t simdpct_path_split(const char *target, size_t len);
uint32_t simdpct_path(
    const simdpct_path_policy *policy, const char *src, size_t len, char *dst, size_t cap, simdpct_result *result);

typedef struct simdpct_guard { uint64_t opaque[128]; } simdpct_guard;
typedef struct simdpct_verdict {
    size_t value;
    uint32_t status;
    uint32_t detail;
    uint32_t action;
    uint32_t part;
} simdpct_verdict;
enum { SIMDPCT_METHOD_OTHER = 0, SIMDPCT_METHOD_CONNECT = 1, SIMDPCT_METHOD_OPTIONS = 2 };
enum { SIMDPCT_ACTION_PASS = 0, SIMDPCT_ACTION_REWRITE = 1 };
uint32_t simdpct_guard_from_text(simdpct_guard *guard, const char *text, size_t len, simdpct_result *result);
size_t simdpct_guard_error(const char *text, size_t len, char *dst, size_t cap);
uint32_t simdpct_guard_check(const simdpct_guard *guard, uint32_t method, const char *target, size_t len, char *dst,
    size_t cap, simdpct_verdict *verdict);
size_t simdpct_verdict_write(const simdpct_verdict *verdict, const char *target, size_t len, char *dst, size_t cap);

const char *simdpct_version(void);

/* Declared last: if it is known, all declarations are. */
typedef struct simdpct_lua_decoder {
    simdpct_decoder decoder;
    bool plus;
} simdpct_lua_decoder;
]]
end

-- The name includes the version of the ABI, so that no development package is needed.
local C = ffi.load(ffi.os == "Linux" and "libsimdpct.so.0" or "simdpct")

local Set, Decoder, Encoder = ffi.typeof "simdpct_set", ffi.typeof "simdpct_lua_decoder", ffi.typeof "simdpct_encoder"
local Policy, Guard = ffi.typeof "simdpct_path_policy", ffi.typeof "simdpct_guard"
local Bytes = ffi.typeof "char[?]"

local OK, NO_ROOM, ALL_KINDS = C.SIMDPCT_OK, C.SIMDPCT_NO_ROOM, C.SIMDPCT_FIND_ALL
local PASS, REWRITE = C.SIMDPCT_ACTION_PASS, C.SIMDPCT_ACTION_REWRITE
local METHODS = { CONNECT = C.SIMDPCT_METHOD_CONNECT, OPTIONS = C.SIMDPCT_METHOD_OPTIONS }

local result, verdict = ffi_new "simdpct_result", ffi_new "simdpct_verdict"
local number, first = ffi_new "uint32_t[1]", ffi_new "size_t[1]"
-- Space for each message of the library.
local LINE = 1024
local line = Bytes(LINE)

-- The buffer grows up to KEPT bytes. A larger one is allocated for a single call, so that one long string does not
-- cost memory forever.
local KEPT = 65536
local size = 4096
local buffer = Bytes(size)

local function room(needed)
    if needed <= size then
        return buffer, size
    end
    if needed > KEPT then
        return Bytes(needed), needed
    end
    while size < needed do
        size = size * 2
    end
    buffer = Bytes(size)
    return buffer, size
end

-- The level blames the caller of the function that got the argument.
local function argument_error(what, expected, value)
    error("simdpct: " .. what .. " must be " .. expected .. ", not a " .. type(value), 3)
end

local function check_string(what, value)
    if type(value) ~= "string" then
        error("simdpct: " .. what .. " must be a string, not a " .. type(value), 3)
    end
end

-- On an error in the data, functions return nil, the message, and the position, counted from 1.
local function failure(text)
    local len = tonumber(C.simdpct_result_write(result, text, #text, line, LINE))
    return nil, ffi_string(line, len), tonumber(result.value) + 1
end

local _M = { version = ffi_string(C.simdpct_version()) }

-- Makes the set with this name, or the set of these bytes.
local function set_of(option, value)
    if value == nil then
        return nil
    end
    if type(value) ~= "string" then
        error("simdpct: the option " .. option .. " must be a string, not a " .. type(value), 4)
    end
    local set = Set()
    if not C.simdpct_set_from_name(set, value, #value) and not C.simdpct_set_from_bytes(set, value, #value) then
        error("simdpct: the option " .. option .. " is not a set", 4)
    end
    return set
end

-- Reads options into flags and sets. `flags` has the bit of each flag, `sets` the names of the options with sets.
local function read_options(options, flags, sets)
    if options ~= nil and type(options) ~= "table" then
        error("simdpct: the options must be a table, not a " .. type(options), 3)
    end
    local bits, given = 0, {}
    for name, value in pairs(options or {}) do
        if flags[name] then
            if type(value) ~= "boolean" then
                error("simdpct: the option " .. name .. " must be a boolean, not a " .. type(value), 3)
            end
            bits = bits + (value and flags[name] or 0)
        elseif sets[name] then
            given[name] = set_of(name, value)
        else
            error("simdpct: unknown option " .. tostring(name), 3)
        end
    end
    return bits, given
end

local DECODER_FLAGS = { lenient = C.SIMDPCT_DECODE_LENIENT, plus = C.SIMDPCT_DECODE_PLUS, utf8 = C.SIMDPCT_DECODE_UTF8 }
local DECODER_SETS = { keep = true, reject = true }

function _M.decoder(options)
    local flags, sets = read_options(options, DECODER_FLAGS, DECODER_SETS)
    local decoder = Decoder()
    if not C.simdpct_decoder_init(decoder.decoder, flags, sets.keep, sets.reject) then
        error("simdpct: the library does not know an option", 2)
    end
    decoder.plus = options ~= nil and options.plus == true
    return decoder
end

local ENCODER_FLAGS = {
    plus = C.SIMDPCT_ENCODE_PLUS,
    keep_triplets = C.SIMDPCT_ENCODE_KEEP_TRIPLETS,
    keep_non_ascii = C.SIMDPCT_ENCODE_KEEP_NON_ASCII,
    lowercase = C.SIMDPCT_ENCODE_LOWERCASE,
}
local ENCODER_SETS = { set = true }

function _M.encoder(options)
    local flags, sets = read_options(options, ENCODER_FLAGS, ENCODER_SETS)
    local encoder = Encoder()
    if not C.simdpct_encoder_init(encoder, flags, sets.set) then
        error("simdpct: the library does not know an option", 2)
    end
    return encoder
end

function _M.policy(text)
    check_string("the text of a policy", text)
    local policy = Policy()
    if C.simdpct_path_policy_init(policy, text, #text, result) ~= OK then
        error("simdpct: " .. ffi_string(line, C.simdpct_path_policy_error(text, #text, line, LINE)), 2)
    end
    return policy
end

function _M.guard(text)
    check_string("the text of a guard", text)
    local guard = Guard()
    if C.simdpct_guard_from_text(guard, text, #text, result) ~= OK then
        error("simdpct: " .. ffi_string(line, C.simdpct_guard_error(text, #text, line, LINE)), 2)
    end
    return guard
end

function _M.kinds(names)
    check_string("the names of kinds", names)
    if not C.simdpct_kinds_from_text(names, #names, number) then
        error("simdpct: unknown kind in: " .. names, 2)
    end
    return number[0]
end

local default_decoder, default_encoder = _M.decoder(), _M.encoder()

function _M.decode(text, decoder)
    check_string("the text", text)
    if decoder == nil then
        decoder = default_decoder
    elseif not istype(Decoder, decoder) then
        argument_error("the decoder", "one of simdpct.decoder", decoder)
    end
    local len = #text
    local dst, cap = room(len)
    if C.simdpct_decode(decoder.decoder, text, len, dst, cap, result) ~= OK then
        return failure(text)
    end
    local decoded = tonumber(result.value)
    -- Each decoded triplet makes the text shorter.
    if decoded == len and not decoder.plus then
        return text
    end
    return ffi_string(dst, decoded)
end

function _M.encode(text, encoder)
    check_string("the text", text)
    if encoder == nil then
        encoder = default_encoder
    elseif not istype(Encoder, encoder) then
        argument_error("the encoder", "one of simdpct.encoder", encoder)
    end
    local len = #text
    local dst, cap = room(len)
    local status = C.simdpct_encode(encoder, text, len, dst, cap, result)
    if status == NO_ROOM then
        dst, cap = room(tonumber(result.value))
        status = C.simdpct_encode(encoder, text, len, dst, cap, result)
    end
    if status ~= OK then
        return failure(text)
    end
    return ffi_string(dst, tonumber(result.value))
end

function _M.inspect(text, kinds)
    check_string("the text", text)
    if kinds == nil then
        kinds = ALL_KINDS
    elseif type(kinds) ~= "number" then
        argument_error("the kinds", "a number of simdpct.kinds", kinds)
    end
    local found = C.simdpct_inspect(text, #text, kinds, first)
    if found == 0 then
        return nil
    end
    return ffi_string(line, C.simdpct_kinds_write(found, line, LINE)), tonumber(first[0]) + 1
end

function _M.split(target)
    check_string("the target", target)
    local len = tonumber(C.simdpct_path_split(target, #target))
    return target:sub(1, len), target:sub(len + 1)
end

-- The policy has no default, because a misspelt variable must not select another policy.
function _M.path(path, policy)
    check_string("the path", path)
    if not istype(Policy, policy) then
        argument_error("the policy", "one of simdpct.policy", policy)
    end
    local len = #path
    local dst, cap = room(len)
    local status = C.simdpct_path(policy, path, len, dst, cap, result)
    if status == NO_ROOM then
        dst, cap = room(tonumber(result.value))
        status = C.simdpct_path(policy, path, len, dst, cap, result)
    end
    if status ~= OK then
        return failure(path)
    end
    return ffi_string(dst, tonumber(result.value))
end

function _M.check(target, guard, method)
    check_string("the target", target)
    if not istype(Guard, guard) then
        argument_error("the guard", "one of simdpct.guard", guard)
    end
    local len = #target
    local dst, cap = room(len)
    local of_method = METHODS[method or ""] or 0
    local action = C.simdpct_guard_check(guard, of_method, target, len, dst, cap, verdict)
    if verdict.status == NO_ROOM then
        dst, cap = room(tonumber(verdict.value))
        action = C.simdpct_guard_check(guard, of_method, target, len, dst, cap, verdict)
    end
    if action == REWRITE then
        return ffi_string(dst, tonumber(verdict.value))
    end
    if action == PASS and verdict.status == OK then
        return target
    end
    local written = ffi_string(line, C.simdpct_verdict_write(verdict, target, len, line, LINE))
    return action == PASS and target or nil, written, tonumber(verdict.value) + 1
end

return _M
