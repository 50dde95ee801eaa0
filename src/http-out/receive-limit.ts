/** Sets how many bytes the kernel buffers for a socket, which also limits one receive. */
export type LimitReceive = (socket: object, bytes: number) => void

/** Linux constants for `setsockopt`, the same on every processor. */
const socketLevel = 1
const receiveBuffer = 8
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

let loading: Promise<LimitReceive> | undefined

/**
 * The runtime has no API for this option, so this calls the C library. Loading the library takes two megabytes of
 * memory, so it is loaded when the first stream needs it. Where the library is not available, there is no limit.
 */
export function loadReceiveLimit(): Promise<LimitReceive> {
  loading ??= load().catch(() => unlimited)
  return loading
}

async function load(): Promise<LimitReceive> {
  if (process.platform !== 'linux') return unlimited
  const { dlopen, ptr } = await import('bun:ffi')
  const { symbols } = firstOf(libraries, (name) =>
    dlopen(name, {
      setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    }),
  )
  const value = new Int32Array(1)
  return (socket, bytes) => {
    if (!('fd' in socket) || typeof socket.fd !== 'number' || socket.fd < 0) return
    value[0] = bytes
    symbols.setsockopt(socket.fd, socketLevel, receiveBuffer, ptr(value), value.byteLength)
  }
}

function unlimited(): void {}

/** The result for the first name that `open` accepts. */
function firstOf<Found>(names: readonly string[], open: (name: string) => Found): Found {
  let problem: unknown
  for (const name of names) {
    try {
      return open(name)
    } catch (error) {
      problem = error
    }
  }
  throw problem
}
