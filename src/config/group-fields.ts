import { z } from 'zod'
import { entry, idField, instantField } from './entry-fields.ts'
import type { ProvisionGrant } from './provision.ts'

const everybody = 'all'

/** An account by its id alone, or with the moment its grant ends. */
const grant = z.preprocess(
  (input) => (typeof input === 'string' ? { id: input } : input),
  entry({ id: idField, until: instantField.optional() }),
)

/** Who may use a group: the word `all`, or a list of accounts; an empty place is an empty list, not everybody. */
export const accountsField = z
  .preprocess(
    (input) => (input === everybody ? null : (input ?? [])),
    z.array(grant, { error: 'must be a list of accounts, or all' }).nullable(),
  )
  .transform((grants): readonly ProvisionGrant[] | typeof everybody => {
    if (grants === null) return everybody
    return grants.map(({ id, until }) => ({ accountId: id, endsAtMs: until }))
  })

/** For a model those that stand in for it, in order. */
export const fallbacksField = z
  .record(
    z.string(),
    z.preprocess(
      (input) => (typeof input === 'string' ? [input] : input),
      z.array(idField, { error: 'must be a list of model ids' }),
    ),
    { error: 'must be a mapping of models to lists of models' },
  )
  .transform((fallbacks, context) => {
    for (const [model, list] of Object.entries(fallbacks)) {
      if (!list.includes(model)) continue
      const message = `names "${model}" as its own stand-in; name another model.`
      context.addIssue({ code: 'custom', path: [model], message })
    }
    return fallbacks
  })
