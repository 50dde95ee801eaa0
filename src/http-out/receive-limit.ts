/** Sets how much of a socket's bytes the kernel keeps for us, and with it how much one receive can bring. */
export type LimitReceive = (socket: object, bytes: number) => void

/** What `setsockopt` is told on Linux, whatever the processor. */
const socketLevel = 1
const receiveBuffer = 8
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

let loading: Promise<LimitReceive> | undefined

/**
 * The runtime has no word for this option, so the system's own function is called. Two megabytes come with that, which
 * is why it is loaded when the first stream needs it. Where it cannot be had nothing is limited.
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

/** What works with the first of several names that it works with. */
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
