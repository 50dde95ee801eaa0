import { readdirSync, readlinkSync } from 'node:fs'
import { openLibrary } from './c-library.ts'
import { openSockets } from './socket-calls.ts'

/** Keeps the event loop from accepting connections; those that come meanwhile wait in the kernel's queue. */
export interface ListenerGate {
  shut(): void
  open(): void
  /** It is open for good, and the listener is its owner's alone. */
  release(): void
}

/** What the system is told on Linux, whatever the processor. */
const linux = {
  socketLevel: 1,
  isAccepting: 30,
  duplicate: 1_030,
  closeOnExec: 0o2000000,
  internet4: 2,
  stream: 1,
}
const descriptorsFolder = '/proc/self/fd'

/**
 * The runtime has no word for this. The descriptor of its listener is made to stand for a socket that accepts nothing,
 * and then again for the listener, of which a second descriptor is kept. Undefined where that is not possible.
 * The listener is one of the descriptors that are given.
 */
export async function openGate(
  port: number,
  descriptors: readonly number[],
): Promise<ListenerGate | undefined> {
  const library = await openLibrary({
    dup3: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  })
  const sockets = await openSockets()
  if (!library || !sockets) return undefined
  const { ptr } = library
  const { dup3, fcntl, socket, close, getsockopt } = library.symbols
  const value = new Int32Array(1)
  const length = new Int32Array(1)
  const isListener = (descriptor: number): boolean => {
    length[0] = value.byteLength
    const { socketLevel, isAccepting } = linux
    const problem = getsockopt(descriptor, socketLevel, isAccepting, ptr(value), ptr(length))
    return problem === 0 && value[0] === 1 && sockets.portOf(descriptor) === port
  }
  const listener = descriptors.find(isListener)
  if (listener === undefined) return undefined
  const kept = fcntl(listener, linux.duplicate, 0)
  const deaf = socket(linux.internet4, linux.stream | linux.closeOnExec, 0)
  let isShut = false
  const turn = (toShut: boolean): void => {
    if (isShut === toShut || kept < 0 || deaf < 0) return
    if (dup3(toShut ? deaf : kept, listener, linux.closeOnExec) === listener) isShut = toShut
  }
  return {
    shut: () => turn(true),
    open: () => turn(false),
    release: () => {
      turn(false)
      for (const descriptor of [kept, deaf]) if (descriptor >= 0) close(descriptor)
    },
  }
}

/** What this process has open; nothing where that cannot be told. */
export function descriptorsNow(): readonly number[] {
  try {
    // The one with which the folder was read is in it, and gone.
    return readdirSync(descriptorsFolder).map(Number).filter(isOpen)
  } catch {
    return []
  }
}

function isOpen(descriptor: number): boolean {
  try {
    return readlinkSync(`${descriptorsFolder}/${descriptor}`) !== ''
  } catch {
    return false
  }
}
