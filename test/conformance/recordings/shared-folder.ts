import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { missingPart } from '../../support/missing-part.ts'

const shared = join(import.meta.dir, '../../../../shared')
export const recordingsFolder = join(shared, 'fixtures')
export const schemasFolder = join(shared, 'protocols/schemas')

/** Whether the recordings and the vendors' schemas are there; says so loudly where they are not. */
export function hasSharedFolder(): boolean {
  const isThere = existsSync(recordingsFolder) && existsSync(schemasFolder)
  if (!isThere) missingPart('conformance', 'the folder of recorded exchanges is not there')
  return isThere
}
