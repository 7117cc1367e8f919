-- Sets a balance as the ledger has it, and admits it to the present Redis run (rule 12.7). A balance that is admitted
-- already stays, so two processes may do it at once.
--
-- KEYS 1 org (as in enter.lua, with RUN)
-- ARGV 1 epoch  2 n  3 balance  4 grant number  5 the run in which it was compared
-- Returns ADMITTED · ALREADY · DIFFERS another run, or Redis has a later epoch · EARG

for at = 1, 4 do
  if not string.match(ARGV[at], '^%d+$') then return 'EARG' end
end
local org = redis.call('HMGET', KEYS[1], 'epoch', 'run')
if org[2] == RUN then return 'ALREADY' end
if ARGV[5] ~= RUN or org[1] and tonumber(org[1]) > tonumber(ARGV[1]) then return 'DIFFERS' end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'n', ARGV[2], 'bal', ARGV[3], 'g', ARGV[4], 'und', 0, 'run', RUN)
return 'ADMITTED'
