-- bench.lua - times the functions of the Lua module and nginx's, in turns.

local simdpct = require "simdpct"

local _M = {}

local ROUNDS, CALLS = 101, 20000

-- A separate loop for each function: LuaJIT compiles a loop for the function that it calls at first.
local LOOP = [[
local call, text, argument, calls = ...
local began = os.clock()
for _ = 1, calls do
    call(text, argument)
end
return (os.clock() - began) / calls * 1e9
]]

local function median(numbers)
    table.sort(numbers)
    return numbers[(#numbers + 1) / 2]
end

local form = simdpct.decoder { plus = true, lenient = true }
local policy, guard = simdpct.policy("default slash=refuse"), simdpct.guard("default slash=refuse")

-- Texts of 50 bytes.
local QUERY = "caf%C3%A9%20cr%C3%A8me%2C%20deux%20tasses%20s.v.p."
local WORDS = "a-plain-segment-of-a-path-without-any-escapes-here"
local RAW = "caf\195\169 cr\195\168me, deux tasses, s'il vous plait, mercii"
local PATH = "/api/v1/users/%7eanna/../%62ob/files/report-1.pdfx"
local CANONICAL = "/api/v1/users/~anna/files/report-1.pdf/caf%C3%A9/x"

local function lua_unescape(text)
    return (text:gsub("%%(%x%x)", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function nothing() end

local contests = {
    { "decode, 8 triplets", QUERY, "ngx.unescape_uri", ngx.unescape_uri, simdpct.decode },
    { "decode as form, 8 triplets", QUERY, "ngx.unescape_uri", ngx.unescape_uri, simdpct.decode, form },
    { "decode, nothing to decode", WORDS, "ngx.unescape_uri", ngx.unescape_uri, simdpct.decode },
    { "encode, 12 bytes to escape", RAW, "ngx.escape_uri", ngx.escape_uri, simdpct.encode },
    { "encode, nothing to escape", WORDS, "ngx.escape_uri", ngx.escape_uri, simdpct.encode },
    { "decode, 8 triplets", QUERY, "string.gsub", lua_unescape, simdpct.decode },
    { "path, canonical", CANONICAL, "none", nothing, simdpct.path, policy },
    { "path, rewritten", PATH, "none", nothing, simdpct.path, policy },
    { "check, canonical", CANONICAL, "none", nothing, simdpct.check, guard },
    { "inspect, kinds `default`", WORDS, "none", nothing, simdpct.inspect, simdpct.kinds("default") },
}

function _M.bench()
    for _, contest in ipairs(contests) do
        local name, text, other_name, other, call, argument = unpack(contest, 1, 6)
        assert(#text == 50, text)
        local others, ours, ratios = {}, {}, {}
        local time_other, time_ours = loadstring(LOOP), loadstring(LOOP)
        for round = 1, ROUNDS do
            others[round] = time_other(other, text, nil, CALLS)
            ours[round] = time_ours(call, text, argument, CALLS)
            ratios[round] = others[round] / ours[round]
        end
        ngx.say(("| %s | `%s`: %.0f ns | %.0f ns | %.1f |"):format(
            name, other_name, median(others), median(ours), median(ratios)))
    end
end

return _M
