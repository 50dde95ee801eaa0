import type { Script } from '../store/redis/ordered-scripts.ts'
import { fullInMsMax, minuteMs, roundingMs } from './rate.ts'

/*
 * The same algorithm as in `rate.ts`, with the clock of the server. Each owner of limits has two keys: a hash with the
 * times at which all requests (r) and all tokens (t) are available again, and a sorted set with a member for each
 * running request, by the time at which its place becomes free unless it is renewed.
 */

/** A time later than any that a script writes, plus this error, was written before the clock of the server was set back. */
const clockErrorMs = 1_000

const common = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function left(at)
  local ms = (tonumber(at) or 0) - now
  if ms > ${fullInMsMax + clockErrorMs} then return 0 end
  return math.min(math.max(ms, 0), ${fullInMsMax})
end
local function keep(key, requests, tokens)
  local longest = math.max(requests, tokens)
  if longest <= 0 then
    redis.call('DEL', key)
    return
  end
  redis.call('HSET', key, 'r', string.format('%.17g', now + requests), 't', string.format('%.17g', now + tokens))
  redis.call('PEXPIRE', key, math.ceil(longest) + 1000)
end
`

/**
 * Values: 1 to take and 0 to check only; tokens; the permit; how long it lasts without a renewal; the number of owners
 * that must all have room; then requests per minute, tokens per minute and places of each owner, 0 for no limit. Of the
 * owners beyond that number the first one with room is taken, and those after it are not checked. The answer: whether
 * the request is admitted; which of the further owners was taken, 0 for none; and for each owner the two times until
 * everything is available, and the running requests.
 */
export const takeScript: Script = {
  text: `${common}
local tokens, needed = tonumber(ARGV[2]), tonumber(ARGV[5])
local states = {}
local function fits(i)
  local rpm, tpm, places = tonumber(ARGV[3 + 3 * i]), tonumber(ARGV[4 + 3 * i]), tonumber(ARGV[5 + 3 * i])
  local kept = redis.call('HMGET', KEYS[2 * i - 1], 'r', 't')
  local r, t, running = left(kept[1]), left(kept[2]), 0
  if places > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[2 * i], '-inf', string.format('%.17g', now))
    local latest = now + tonumber(ARGV[4]) + ${clockErrorMs}
    running = redis.call('ZCOUNT', KEYS[2 * i], '-inf', string.format('%.17g', latest))
  end
  local moreR = rpm > 0 and ${minuteMs} / rpm or 0
  local moreT = tpm > 0 and math.min(tokens, tpm) * ${minuteMs} / tpm or 0
  states[i] = {r, t, running, moreR, moreT, places}
  return not (places > 0 and running >= places
    or rpm > 0 and r + moreR - ${minuteMs} > ${roundingMs}
    or tpm > 0 and t + moreT - ${minuteMs} > ${roundingMs})
end
local function take(i)
  local state = states[i]
  state[1], state[2] = state[1] + state[4], state[2] + state[5]
  keep(KEYS[2 * i - 1], state[1], state[2])
  if state[6] > 0 then
    redis.call('ZADD', KEYS[2 * i], string.format('%.17g', now + tonumber(ARGV[4])), ARGV[3])
    redis.call('PEXPIRE', KEYS[2 * i], ARGV[4])
  end
end
local ok, taken = 1, 0
for i = 1, needed do
  if not fits(i) then ok = 0 end
end
if ok == 1 and ARGV[1] == '1' then
  for i = 1, needed do take(i) end
  for i = needed + 1, #KEYS / 2 do
    if fits(i) then
      take(i)
      taken = i - needed
      break
    end
  end
end
local answer = {ok, taken}
for i = 1, #KEYS / 2 do
  local state = states[i] or {0, 0, 0}
  answer[#answer + 1] = string.format('%.3f', state[1])
  answer[#answer + 1] = string.format('%.3f', state[2])
  answer[#answer + 1] = state[3]
end
return answer
`,
}

/** Values of each owner: the permit; the time to add to its requests and to its tokens, which may be negative. */
export const finishScript: Script = {
  text: `${common}
for i = 1, #KEYS / 2 do
  redis.call('ZREM', KEYS[2 * i], ARGV[3 * i - 2])
  local addR, addT = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  if addR ~= 0 or addT ~= 0 then
    local kept = redis.call('HMGET', KEYS[2 * i - 1], 'r', 't')
    local most = ${fullInMsMax}
    local r = math.min(math.max(left(kept[1]) + addR, 0), most)
    local t = math.min(math.max(left(kept[2]) + addT, 0), most)
    keep(KEYS[2 * i - 1], r, t)
  end
end
return 1
`,
}

/** Values: how long a place lasts; then the permit of each key. Adds permits that a restarted server has forgotten. */
export const renewScript: Script = {
  text: `${common}
for i = 1, #KEYS do
  redis.call('ZADD', KEYS[i], string.format('%.17g', now + tonumber(ARGV[1])), ARGV[1 + i])
  redis.call('PEXPIRE', KEYS[i], ARGV[1])
end
return 1
`,
}

export const limitScripts: readonly Script[] = [takeScript, finishScript, renewScript]
