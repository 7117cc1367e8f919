-- Copies a key from MongoDB to the record that the scripts read. The copy may be of an older read than
-- the record, so it never removes a revocation and never postpones an expiry.
--
-- KEYS 1 key record (as in enter.lua)
-- ARGV 1 digest  2 org  3 "1" when revoked  4 expiry in epoch ms, "" for none
-- Returns OK, or EARG for an expiry that is not a number

if ARGV[4] ~= '' and not string.match(ARGV[4], '^%d+$') then return 'EARG' end

redis.call('HSETNX', KEYS[1], 'd', ARGV[1])
redis.call('HSETNX', KEYS[1], 'o', ARGV[2])
if ARGV[3] == '1' then redis.call('HSET', KEYS[1], 'x', '1') end
if ARGV[4] ~= '' then
  local known = redis.call('HGET', KEYS[1], 'e')
  if not known or tonumber(known) > tonumber(ARGV[4]) then redis.call('HSET', KEYS[1], 'e', ARGV[4]) end
end
return 'OK'
