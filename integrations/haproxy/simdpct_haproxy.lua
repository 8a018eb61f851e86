-- simdpct_haproxy.lua - registers the converters of simdpct.so with HAProxy. A file that lua-load-per-thread loads defines
-- policies and kinds by name:
--
--     require("simdpct_haproxy") { policies = { api = "strict slash=keep" }, kinds = { dirty = "default,percent" } }
--
-- README.md documents the converters.

local simdpct = require("simdpct")

-- HAProxy logs errors, and the sample of the converter is then missing.
local function lookup(defined, name)
    return defined[name] or error('simdpct: unknown name "' .. tostring(name) .. '"')
end

return function(definitions)
    local policies, kinds = {}, { default = simdpct.kinds("default") }
    -- The presets have their own names.
    for _, name in ipairs({ "default", "strict", "rfc3986", "nginx", "envoy", "lighttpd" }) do
        policies[name] = simdpct.policy(name)
    end
    for name, text in pairs(definitions.policies or {}) do
        policies[name] = simdpct.policy(text)
    end
    for name, list in pairs(definitions.kinds or {}) do
        kinds[name] = 0
        for kind in list:gmatch("[^,]+") do
            kinds[name] = kinds[name] | simdpct.kinds(kind)
        end
    end

    -- HAProxy makes "0" of nil, so that no answer is "-".
    core.register_converters("simdpct_findings", simdpct.findings)
    core.register_converters("simdpct_path", function(path, name)
        return simdpct.path(path, lookup(policies, name)) or "-"
    end)
    core.register_converters("simdpct_refused", function(path, name)
        return simdpct.refused(path, lookup(policies, name)) or "-"
    end)
    core.register_converters("simdpct_found", function(text, name)
        return simdpct.found(text, lookup(kinds, name)) or "-"
    end)
end
