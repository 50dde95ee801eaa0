import { readFileSync } from 'node:fs'
import { type DoctorFinding, ok, warn } from './finding.ts'

const topic = 'open files'
const wanted = 4_096

/** Every request in flight needs two open sockets, so the common default of 1024 is quickly exhausted. */
export function checkOpenFiles(limitsText = readLimits()): DoctorFinding {
  const soft = /^Max open files\s+(\S+)/m.exec(limitsText ?? '')?.[1]
  if (soft === undefined) return ok(topic, 'the limit cannot be read on this system')
  if (soft === 'unlimited' || Number(soft) >= wanted) return ok(topic, `the limit is ${soft}`)
  return warn(
    topic,
    `the limit is ${soft}; raise it to ${wanted} or more (ulimit -n, or LimitNOFILE of the service)`,
  )
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return undefined
  }
}
