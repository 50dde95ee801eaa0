import { readdirSync, readlinkSync } from 'node:fs'
import { openLibrary } from './c-library.ts'
import { openSockets } from './socket-calls.ts'

/** Stops the event loop from accepting connections. New connections wait in the kernel's queue meanwhile. */
export interface ListenerGate {
  shut(): void
  open(): void
  /**
   * The kernel drops new handshakes from now on, and clients repeat them after a second. Handshakes that have begun
   * are completed.
   */
  dropHandshakes(): void
  /** Closes the listening socket for good. Open connections stay. */
  end(): void
  /** Opens the gate for good and leaves the listener to its owner. */
  release(): void
}

/** Linux constants, the same on every processor. */
const linux = {
  socketLevel: 1,
  isAccepting: 30,
  attachFilter: 26,
  duplicate: 1_030,
  closeOnExec: 0o2000000,
  internet4: 2,
  stream: 1,
}
/**
 * A packet filter of the kernel for a listening socket: drops packets with the flag SYN, which is in byte 13 of the TCP
 * header. Each instruction has a code (16 bits), two jumps (8 bits each) and an operand (32 bits).
 */
const dropSyn = [
  { code: 0x30, ifSet: 0, ifNot: 0, operand: 13 },
  { code: 0x45, ifSet: 0, ifNot: 1, operand: 2 },
  { code: 0x06, ifSet: 0, ifNot: 0, operand: 0 },
  { code: 0x06, ifSet: 0, ifNot: 0, operand: 0xffff_ffff },
]
const instructionBytes = 8
const descriptorsFolder = '/proc/self/fd'

/**
 * The runtime has no API for this. The descriptor of the listener is redirected to a socket that accepts nothing, and
 * later back to the listener, of which the gate keeps a second descriptor. Undefined where this is not possible. The
 * listener must be one of the given descriptors.
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
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  })
  const sockets = await openSockets()
  if (!library || !sockets) return undefined
  const { ptr } = library
  const { dup3, fcntl, socket, close, getsockopt, setsockopt } = library.symbols
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
  let kept = fcntl(listener, linux.duplicate, 0)
  const placeholder = socket(linux.internet4, linux.stream | linux.closeOnExec, 0)
  let isShut = false
  const turn = (toShut: boolean): void => {
    if (isShut === toShut || kept < 0 || placeholder < 0) return
    if (dup3(toShut ? placeholder : kept, listener, linux.closeOnExec) === listener) isShut = toShut
  }
  return {
    shut: () => turn(true),
    open: () => turn(false),
    dropHandshakes: () => {
      const program = writeProgram()
      const header = new BigUint64Array([BigInt(dropSyn.length), BigInt(ptr(program))])
      const { socketLevel, attachFilter } = linux
      setsockopt(kept, socketLevel, attachFilter, ptr(header), header.byteLength)
    },
    end: () => {
      turn(true)
      if (!isShut) return
      close(kept)
      kept = -1
    },
    release: () => {
      turn(false)
      for (const descriptor of [kept, placeholder]) if (descriptor >= 0) close(descriptor)
    },
  }
}

function writeProgram(): Uint8Array {
  const view = new DataView(new ArrayBuffer(dropSyn.length * instructionBytes))
  for (const [index, { code, ifSet, ifNot, operand }] of dropSyn.entries()) {
    const at = index * instructionBytes
    view.setUint16(at, code, true)
    view.setUint8(at + 2, ifSet)
    view.setUint8(at + 3, ifNot)
    view.setUint32(at + 4, operand, true)
  }
  return new Uint8Array(view.buffer)
}

/** The open descriptors of this process; empty where the system does not list them. */
export function descriptorsNow(): readonly number[] {
  try {
    // The list contains the descriptor of the directory itself, which is closed by now.
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
