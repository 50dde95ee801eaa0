import { readdirSync, readFileSync } from 'node:fs'

interface ProcessStat {
  readonly parentId: number
  readonly cpuTicks: number
}

// Linux reports CPU time to user space in ticks of 10 ms on every platform Bun runs on.
const microsecondsPerTick = 10_000

// The process and all its descendants, so that nginx's workers count as nginx.
export function processTree(rootId: number): readonly number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const id = Number(name)
    const stat = Number.isInteger(id) ? readStat(id) : undefined
    if (stat !== undefined) parents.set(id, stat.parentId)
  }
  const tree = [rootId]
  for (const member of tree) {
    for (const [id, parentId] of parents) if (parentId === member) tree.push(id)
  }
  return tree
}

// User and system time of all threads, including ended ones.
export function cpuMicroseconds(ids: readonly number[]): number {
  const ticks = ids.reduce((sum, id) => sum + (readStat(id)?.cpuTicks ?? 0), 0)
  return ticks * microsecondsPerTick
}

/** Of all living threads of a process, to the microsecond. */
export function threadMicroseconds(id: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${id}/task`)) {
    const text = readProc(`/proc/${id}/task/${thread}/schedstat`)
    nanoseconds += Number(text?.split(' ')[0] ?? 0)
  }
  return nanoseconds / 1_000
}

export function residentMegabytes(ids: readonly number[]): number {
  const kilobytes = ids.reduce((sum, id) => {
    const status = readProc(`/proc/${id}/status`) ?? ''
    return sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
  }, 0)
  return kilobytes / 1024
}

function readStat(id: number): ProcessStat | undefined {
  const text = readProc(`/proc/${id}/stat`)
  if (text === undefined) return undefined
  // The command's name is in parentheses and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parentId: Number(fields[1]), cpuTicks: Number(fields[11]) + Number(fields[12]) }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Processes may end during the read.
    return undefined
  }
}
