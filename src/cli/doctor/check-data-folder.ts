import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { secretPath } from '../../app/secrets/read-secret.ts'
import type { Config } from '../../config/config.ts'
import { isReadByOthers } from './check-config-file.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const topic = 'data folder'
const mebibyte = 2 ** 20
const freeWarnBytes = 1024 * mebibyte
const freeFailBytes = 64 * mebibyte

export function checkDataFolder(config: Pick<Config, 'data'>): DoctorFinding[] {
  const isThere = existsSync(config.data)
  const folder = isThere ? config.data : firstThatExists(config.data)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    const what = isThere ? config.data : `${config.data} cannot be created, because ${folder}`
    return [
      fail(topic, `${what} is not writable for this user; change its permissions, or set data`),
    ]
  }
  return [space(config.data, folder, isThere), ...secretFile(config)]
}

function space(data: string, folder: string, isThere: boolean): DoctorFinding {
  const { bavail, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  const free = `${Math.floor(freeBytes / mebibyte)} MiB free`
  if (freeBytes < freeFailBytes) return fail(topic, `${data}: only ${free}; free some space now`)
  if (freeBytes < freeWarnBytes) return warn(topic, `${data}: only ${free}; free some space soon`)
  return ok(topic, `${data} ${isThere ? 'is writable' : 'can be created'}, ${free}`)
}

function secretFile(config: Pick<Config, 'data'>): DoctorFinding[] {
  const path = secretPath(config)
  if (!existsSync(path) || !isReadByOthers(path)) return []
  return [warn('secret file', `${path} is readable by other users; run "chmod 600 ${path}"`)]
}

function firstThatExists(path: string): string {
  let folder = dirname(path)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
