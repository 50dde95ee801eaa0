const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export type RandomBytes = (count: number) => Uint8Array

const poolBytes = 4096
let pool = new Uint8Array(0)
let poolUsed = 0

/** Random bytes from the system, read in blocks: a system call for each id would cost more than the id. */
export const systemRandom: RandomBytes = (count) => {
  if (poolUsed + count > pool.length) refillPool(count)
  const taken = pool.subarray(poolUsed, poolUsed + count)
  poolUsed += count
  return taken
}

function refillPool(count: number): void {
  pool = crypto.getRandomValues(new Uint8Array(Math.max(poolBytes, count)))
  poolUsed = 0
}

/** A UUIDv7. Ids sort by time, so the database appends rows in order, and a page of the log is a range of ids. */
export function newRequestId(nowMs: number, random?: RandomBytes): string {
  if (random) return requestIdOf(nowMs, random(10), 0)
  if (poolUsed + 10 > pool.length) refillPool(10)
  poolUsed += 10
  return requestIdOf(nowMs, pool, poolUsed - 10)
}

function requestIdOf(nowMs: number, bytes: Uint8Array, start: number): string {
  const version = hex[((bytes[start] ?? 0) & 0x0f) | 0x70] ?? '70'
  const variant = hex[((bytes[start + 2] ?? 0) & 0x3f) | 0x80] ?? '80'
  const at = start + 3
  const head = timePrefix(nowMs) + version + hexAt(bytes, start + 1)
  const middle = `-${variant}${hexAt(bytes, at)}-${hexAt(bytes, at + 1)}${hexAt(bytes, at + 2)}`
  return `${head}${middle}${hexAt(bytes, at + 3)}${hexAt(bytes, at + 4)}${hexAt(bytes, at + 5)}${hexAt(bytes, at + 6)}`
}

const zeros = new Uint8Array(10)

/** The lowest request id of a moment. All later requests are then a range of ids. */
export function firstRequestIdAt(ms: number): string {
  return newRequestId(ms, () => zeros)
}

/** The clocks of two processes, and the times of one request in its row and its id, differ by less. */
const skewMs = 60_000

/** The ids of all requests whose rows have a time from `fromMs` to `toMs` are from the first to before the second. */
export function requestIdsBetween(fromMs: number, toMs: number): [first: string, after: string] {
  return [firstRequestIdAt(Math.max(fromMs - skewMs, 0)), firstRequestIdAt(toMs + skewMs)]
}

/** When the request of this id arrived. */
export function timeOfRequestId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function hexAt(bytes: Uint8Array, index: number): string {
  return hex[bytes[index] ?? 0] ?? '00'
}

let prefixMs = -1
let prefix = ''

/** Many requests arrive within one millisecond and share this prefix, so it is cached. */
function timePrefix(nowMs: number): string {
  const wholeMs = Math.floor(nowMs)
  if (wholeMs !== prefixMs) {
    const time = wholeMs.toString(16).padStart(12, '0')
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-`
    prefixMs = wholeMs
  }
  return prefix
}

/** A short random id with a prefix that names the kind of object, such as `key_…`. */
export function newId(prefix: string, random: RandomBytes = systemRandom): string {
  let text = `${prefix}_`
  for (const byte of random(12)) text += hex[byte] ?? ''
  return text
}

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const mintedLength = 22

/** An id in the form of the vendors: the prefix and 22 letters or digits. */
export function mintId(prefix: string, random: RandomBytes = systemRandom): string {
  let text = prefix
  // 248 of the 256 byte values map evenly to the 62 letters and digits. The rest would favour some characters.
  while (text.length < prefix.length + mintedLength) {
    for (const byte of random(mintedLength)) {
      if (byte < 248 && text.length < prefix.length + mintedLength) text += alphanumeric[byte % 62]
    }
  }
  return text
}
