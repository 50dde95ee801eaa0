import { canShareAPort, countWorkers, oneWorkerSentence } from '../../app/workers/count-workers.ts'
import type { Config } from '../../config/config.ts'
import { type DoctorFinding, ok, warn } from './finding.ts'

const topic = 'workers'

/** A gateway of one process needs no check. */
export function checkWorkers(
  { workers }: Pick<Config, 'workers'>,
  platform: string = process.platform,
): DoctorFinding[] {
  if (workers === 1) return []
  if (!canShareAPort(platform)) return [warn(topic, oneWorkerSentence)]
  const count = countWorkers(workers)
  const noun = count === 1 ? 'process serves' : 'processes serve'
  return [ok(topic, `${count} ${noun} on one port`)]
}
