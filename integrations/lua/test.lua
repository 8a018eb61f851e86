-- test.lua - the functions that the tests of the Lua module call in nginx.

local simdpct = require "simdpct"

local _M = {}

local function unhex(digits)
    return (digits:gsub("..", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function hex(text)
    return (text:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- Functions of a text and an object. A cached constructor makes the object from the second argument, which is Lua.
local made = {}
local function make(constructor, arguments)
    local key = constructor .. arguments
    made[key] = made[key] or simdpct[constructor](assert(loadstring("return " .. arguments))())
    return made[key]
end

local operations = {
    decode = function(text, arguments) return simdpct.decode(text, make("decoder", arguments)) end,
    encode = function(text, arguments) return simdpct.encode(text, make("encoder", arguments)) end,
    path = function(text, arguments) return simdpct.path(text, make("policy", arguments)) end,
    inspect = function(text, arguments) return simdpct.inspect(text, make("kinds", arguments)) end,
    check = function(text, arguments) return simdpct.check(text, make("guard", arguments)) end,
    check_options = function(text, arguments) return simdpct.check(text, make("guard", arguments), "OPTIONS") end,
    check_connect = function(text, arguments) return simdpct.check(text, make("guard", arguments), "CONNECT") end,
    split = simdpct.split,
    unescape_uri = ngx.unescape_uri,
    -- The second parameter of this function is a number.
    escape_uri = function(text) return ngx.escape_uri(text) end,
    run = function(text, arguments) return assert(loadstring(arguments))(text) end,
}

local function written(value)
    return type(value) == "string" and '"' .. hex(value) or tostring(value)
end

-- One call in each line of the body: operation, text in hexadecimal digits, and arguments. One line of results for each.
function _M.calls()
    ngx.req.read_body()
    for operation, text, arguments in ngx.req.get_body_data():gmatch("(%S+) (%x*) ([^\n]*)\n") do
        local ok, first, second, third = pcall(operations[operation], unhex(text), arguments)
        if ok then
            ngx.say(written(first), " ", written(second), " ", written(third))
        else
            ngx.say("error ", first)
        end
    end
end

-- Runs a loop around a call. Returns the number of compiled traces, and the reasons for the others.
function _M.traces()
    local vmdef = require "jit.vmdef"
    local calls = {
        decode = function() return simdpct.decode("/a%20b%2f") end,
        decode_unchanged = function() return simdpct.decode("/abc") end,
        encode = function() return simdpct.encode("/a b/") end,
        path = function() return simdpct.path("/a/../b%7e", make("policy", "'default'")) end,
        inspect = function() return simdpct.inspect("/a%00") end,
        inspect_nothing = function() return simdpct.inspect("/a", 8) end,
        check = function() return simdpct.check("/a/../b", make("guard", "'default'"), "GET") end,
        refused = function() return simdpct.path("/%00", make("policy", "'default'")) end,
        -- A function that cannot be compiled, to check that the test detects it.
        loadstring = function() return loadstring("return 1") end,
    }
    -- Without stitching, a function that cannot be compiled ends the trace.
    jit.opt.start("minstitch=30000")
    for name, call in pairs(calls) do
        local compiled, aborted = 0, {}
        local function record(what, _, _, _, code, reason)
            if what == "stop" then
                compiled = compiled + 1
            elseif what == "abort" then
                aborted[#aborted + 1] = vmdef.traceerr[code]:gsub("%%[sd]", tostring(reason))
            end
        end
        jit.flush()
        jit.attach(record, "trace")
        for _ = 1, 300 do
            call()
        end
        jit.attach(record)
        ngx.say(name, " ", compiled, " ", table.concat(aborted, ", "))
    end
    jit.opt.start("minstitch=0")
end

return _M
