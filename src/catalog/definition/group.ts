import { z } from 'zod'
import { priorities } from '../../core/upstreams/priority.ts'
import { define, type GivenOf, optional, required, type ValuesOf } from '../../fields/definition.ts'
import { enumKind, type Kind, orNull } from '../../fields/kind.ts'
import { factorKind, idKind, instantKind, modelsKind } from '../../fields/kinds.ts'
import { keptLimitFields } from '../../fields/limit-fields.ts'
import { objectKind, rowsOf, shortBy } from '../../fields/object-kind.ts'
import { grantsMax, outsideSchema, problemMessage } from '../../fields/problems.ts'

const by = 'operator'

export const grantFields = {
  accountId: required(idKind, { file: 'id', about: 'The account that may use the group.', by }),
  until: optional(orNull(instantKind), null, { about: 'When the access ends; null: never.', by }),
}
const grantKind = objectKind(grantFields)

const everybody = 'all'
const grantList = orNull(
  rowsOf(shortBy(grantKind, 'id'), {
    max: grantsMax,
    wrong: 'accounts_wrong',
    many: 'list_long',
    twice: 'accounts_twice',
    key: 'accountId',
  }),
  everybody,
)

/** Null means every account. An empty value in the file is an empty list, not every account. */
const grantsKind: typeof grantList = {
  ...grantList,
  written: z.codec(z.unknown(), grantList.written, {
    decode: (given) => (given === null ? [] : given),
    encode: (given) => given,
  }),
}

export type Fallbacks = Readonly<Record<string, readonly string[]>>

/** The fallback models of each model, in order. In the file a single fallback needs no list. */
const fallbacksKind: Kind<Fallbacks> = {
  entry: 'object',
  shown: z.record(z.string(), z.array(z.string()).readonly()),
  show: (fallbacks) => fallbacks,
  write: (fallbacks) => fallbacks,
  wire: fallbacksOf(modelsKind.wire),
  written: fallbacksOf(
    z.codec(z.unknown(), modelsKind.written, {
      decode: (given) => (typeof given === 'string' ? [given] : given),
      encode: (given) => given,
    }),
  ),
}

function fallbacksOf(list: z.ZodType<readonly string[]>): z.ZodType<Fallbacks, Fallbacks> {
  return z
    .record(idKind.wire, list, { error: problemMessage('fallbacks_wrong') })
    .superRefine((fallbacks, context) => {
      for (const [model, standIns] of Object.entries(fallbacks)) {
        if (!standIns.includes(model)) continue
        const message = problemMessage('fallback_self', { model })
        context.addIssue({ code: 'custom', path: [model], message, params: outsideSchema })
      }
    }) as never
}

/** The settings of a group that an operator chooses. */
export const groupDefinition = define('group', {
  id: required(idKind, { about: 'The id that keys and routes refer to.', by, isFixed: true }),
  factor: optional(factorKind, 1_000_000n, { about: 'Factor for prices.', by }),
  unsupported: optional(enumKind(['drop', 'reject']), 'drop', {
    about: 'What to do with a field that the upstream does not support.',
    by,
  }),
  unpricedFeatures: optional(enumKind(['refuse', 'token_price']), 'refuse', {
    about: 'What to do with a feature that has no price.',
    by,
    absent: 'keep',
  }),
  sharedObjects: optional(enumKind(['refuse', 'allow']), 'refuse', {
    about: 'What to do with a request that refers to an object of the upstream account.',
    by,
    absent: 'keep',
  }),
  grants: optional(grantsKind, null, {
    file: 'accounts',
    about: 'The accounts that may use the group; null: every account.',
    by,
    absent: 'keep',
  }),
  fallbacks: optional(
    fallbacksKind,
    {},
    {
      about:
        'Fallback models by model, in order. They serve requests while no route of the model is healthy.',
      by,
      absent: 'keep',
    },
  ),
  priority: optional(enumKind(priorities), 'normal', {
    about: 'Which requests go first when an upstream is full, unless their keys say otherwise.',
    by,
    absent: 'keep',
  }),
  ...keptLimitFields(by),
})

/** The settings of a new group, required and optional. */
export type GivenGroup = GivenOf<typeof groupDefinition>
export type GroupValues = ValuesOf<typeof groupDefinition>
export type Grant = NonNullable<GroupValues['grants']>[number]
