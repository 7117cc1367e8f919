-- Admits a balance to the present Redis run (rule 12.7): one that equals the ledger as it is, any other
-- one as the ledger says. A balance that is admitted already stays, so two processes may do it at once.
--
-- KEYS 1 org (as in enter.lua, with RUN)
-- ARGV 1 epoch  2 n  3 balance, all as the ledger has them
--      4 grant number, "" to admit only what Redis has under these three
-- Returns ADMITTED · ALREADY · DIFFERS · EARG

for at = 1, 3 do
  if not string.match(ARGV[at], '^%d+$') then return 'EARG' end
end
local org = redis.call('HMGET', KEYS[1], 'epoch', 'n', 'bal', 'run')
if org[4] == RUN then return 'ALREADY' end
if ARGV[4] == '' then
  if org[1] ~= ARGV[1] or org[2] ~= ARGV[2] or org[3] ~= ARGV[3] then return 'DIFFERS' end
  redis.call('HSET', KEYS[1], 'run', RUN)
  return 'ADMITTED'
end
if org[1] and tonumber(org[1]) >= tonumber(ARGV[1]) then return 'DIFFERS' end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'n', ARGV[2], 'bal', ARGV[3], 'g', ARGV[4], 'und', 0, 'run', RUN)
return 'ADMITTED'
