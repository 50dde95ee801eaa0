import { z } from 'zod'
import { problemMessage } from '../fields/problems.ts'
import { suggestName } from './nearest-name.ts'

/*
 * The field types of provisioned entries. A message is a code of the fields, or continues the sentence after the name
 * of its field.
 */

/** An object in which an unknown member is an error that suggests the nearest valid name. */
export function entry<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      const typed = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
      return typed === undefined
        ? 'must be a mapping of names to values'
        : suggestName(typed, names)
    },
  })
}

/** A list. An empty value in the file, such as `keys:` with nothing below it, is an empty list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (input) => input ?? undefined,
    z.array(item, { error: problemMessage('list_wrong') }).optional(),
  )
}
