-- What Lua programs do all day, for the benchmark of allocators: trees, strings, tables, objects that
-- know each other. Prints ok where everything came out right.
local n = tonumber(arg[1]) or 100
local function tree(depth) if depth == 0 then return {} end return {tree(depth-1), tree(depth-1)} end
local function count(t) if not t[1] then return 1 end return 1 + count(t[1]) + count(t[2]) end
local sum = 0
for i = 1, n // 10 do sum = sum + count(tree(14)) end
local words = {}
for i = 1, n * 1500 do words[#words+1] = "word" .. (i * 7919 % 10007) .. (i % 13) end
local seen = {}
for _, w in ipairs(words) do seen[w] = (seen[w] or 0) + 1 end
local parts = {}
for w, c in pairs(seen) do parts[#parts+1] = w .. "=" .. c end
table.sort(parts)
local text = table.concat(parts, ",")
local back = 0
for k, v in text:gmatch("(%w+)=(%d+)") do back = back + tonumber(v) end
local objects = {}
for i = 1, n * 300 do objects[i] = {name = "n" .. i, tags = {i, i + 1, i + 2}, next = objects[i-1]} end
for i = 1, #objects, 2 do objects[i] = false end
collectgarbage()
print(back == n * 1500 and "ok" or "wrong", sum)
