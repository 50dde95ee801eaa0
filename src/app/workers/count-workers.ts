import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { workersMax } from '../../config/setting-kinds.ts'

const quotaFile = '/sys/fs/cgroup/cpu.max'

/** Whether one port can be shared by several processes, so that the kernel divides the connections among them. */
export function canShareAPort(platform: string = process.platform): boolean {
  return platform === 'linux'
}

export const oneWorkerSentence =
  'Several workers need Linux, which can share one port among processes. This gateway serves with one process.'

/** How many workers the setting means on this machine. `auto` is one per core that the process may use. */
export function countWorkers(
  wanted: number | 'auto',
  cores = availableParallelism(),
  quota = readQuota(),
): number {
  if (wanted !== 'auto') return wanted
  return Math.max(1, Math.min(cores, coresOfQuota(quota) ?? cores, workersMax))
}

/** A container may have less processor time than the machine has cores: `200000 100000` means two cores. */
function coresOfQuota(text: string | undefined): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)/.exec(text ?? '') ?? []
  return quota === undefined || period === undefined
    ? undefined
    : Math.ceil(Number(quota) / Number(period))
}

function readQuota(): string | undefined {
  try {
    return readFileSync(quotaFile, 'utf8')
  } catch {
    return undefined
  }
}
