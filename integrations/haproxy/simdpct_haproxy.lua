-- simdpct_haproxy.lua - registers the converters of simdpct.so with HAProxy. A file that lua-load-per-thread loads defines
-- guards by name:
--
--     require("simdpct_haproxy") { api = "query=nul,percent strict slash=keep" }
--
-- README.md documents the converters.

local simdpct = require("simdpct")

return function(definitions)
    local guards = {}
    -- The presets are guards of the same names.
    for _, name in ipairs({ "default", "strict", "rfc3986", "nginx", "envoy", "lighttpd" }) do
        guards[name] = simdpct.guard(name)
    end
    for name, text in pairs(definitions) do
        guards[name] = simdpct.guard(text)
    end

    -- HAProxy logs the error, and the converter then has no value.
    local function lookup(name)
        return guards[name] or error('simdpct: unknown guard "' .. tostring(name) .. '"')
    end

    -- The last decision, so that converters with the same input decide once.
    local last = {}
    local function decide(target, name)
        local decision = last
        if decision.target ~= target or decision.name ~= name then
            decision = { target = target, name = name }
            decision.used, decision.line = simdpct.decide(target, lookup(name))
            last = decision
        end
        return decision
    end

    -- HAProxy turns nil into "0", so a missing value is "-".
    core.register_converters("simdpct_findings", simdpct.findings)
    core.register_converters("simdpct_target", function(target, name)
        return decide(target, name).used or "-"
    end)
    core.register_converters("simdpct_refused", function(target, name)
        return decide(target, name).line or "-"
    end)
end
