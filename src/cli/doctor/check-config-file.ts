import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { type DoctorFinding, ok, warn } from './finding.ts'

const topic = 'config file'
const othersMask = 0o077

/** Only its owner should be able to read a file that contains secrets. */
export function checkConfigFile({ file }: Pick<Config, 'file'>, cwd: string): DoctorFinding {
  if (file === undefined) return ok(topic, 'none; defaults, variables and flags apply')
  if (!file.holdsSecrets) return ok(topic, `${file.path} is valid and contains no secrets`)
  if (!isReadByOthers(resolve(cwd, file.path))) return ok(topic, `${file.path} is valid`)
  return warn(
    topic,
    `${file.path} contains secrets and is readable by other users; run "chmod 600 ${file.path}", or write the secrets as env:NAME`,
  )
}

export function isReadByOthers(path: string): boolean {
  return (statSync(path).mode & othersMask) !== 0
}
