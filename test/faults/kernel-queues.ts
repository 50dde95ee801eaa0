import { existsSync, readFileSync } from 'node:fs'

const table = '/proc/net/tcp'

export const hasKernelQueues = existsSync(table)

/** The bytes in the kernel's buffers between two ports of this machine, in both directions. */
export function queuedBetween(port: number, otherPort: number): number {
  let bytes = 0
  for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', , queues = ''] = line.trim().split(/\s+/)
    const ends = [portOf(local), portOf(remote)]
    if (!ends.includes(port) || !ends.includes(otherPort)) continue
    for (const queue of queues.split(':')) bytes += Number.parseInt(queue, 16)
  }
  return bytes
}

function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '0', 16)
}
