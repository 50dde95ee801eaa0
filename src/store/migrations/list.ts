import type { Migration } from '../migration.ts'
import { foundation } from './0001-foundation.ts'

/** Forward only, in this order. */
export const migrations: readonly Migration[] = [foundation]
