import type { Migration } from '../migration.ts'
import { foundation } from './0001-foundation.ts'
import { protocols } from './0002-protocols.ts'

/** Forward only, in this order. */
export const migrations: readonly Migration[] = [foundation, protocols]
