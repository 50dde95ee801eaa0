import type { z } from 'zod'
import { accountOperations } from './account-operations.ts'
import { alertOperations } from './alert-operations.ts'
import { catalogOperations } from './catalog-operations.ts'
import { keyOperations } from './key-operations.ts'
import { peopleOperations } from './people-operations.ts'
import { recordingOperations } from './recording-operations.ts'
import { sessionOperations } from './session-operations.ts'
import { systemOperations } from './system-operations.ts'
import { tokenOperations } from './token-operations.ts'
import { usageOperations } from './usage-operations.ts'

/** All operations of the back end with their permissions. Paths are relative to /console/api. */
export const operations = {
  ...sessionOperations,
  ...keyOperations,
  ...usageOperations,
  ...accountOperations,
  ...recordingOperations,
  ...catalogOperations,
  ...peopleOperations,
  ...tokenOperations,
  ...alertOperations,
  ...systemOperations,
}
export type Operations = typeof operations

type SentAs<Schema> = Schema extends z.ZodType ? z.input<Schema> : never
type ReadAs<Schema> = Schema extends z.ZodType ? z.output<Schema> : never
type At<Name extends keyof Operations, Part extends string> =
  Operations[Name] extends Readonly<Record<Part, infer Schema>> ? Schema : undefined
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** Path parameters by name. */
export type ParamsOf<Name extends keyof Operations> = Readonly<Record<NamesIn<Name>, string>>
/** As sent. */
export type QueryOf<Name extends keyof Operations> = SentAs<At<Name, 'query'>>
export type BodyOf<Name extends keyof Operations> = SentAs<At<Name, 'body'>>
export type AnswerOf<Name extends keyof Operations> = SentAs<At<Name, 'answer'>>
/** As parsed by the back end. */
export type ReadQueryOf<Name extends keyof Operations> = ReadAs<At<Name, 'query'>>
export type ReadBodyOf<Name extends keyof Operations> = ReadAs<At<Name, 'body'>>
