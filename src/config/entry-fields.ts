import { z } from 'zod'
import { suggestName } from './nearest-name.ts'

/*
 * The kinds of field that provisioned entries are made of. A message reads on from the name of its field; one
 * that is a whole sentence already ends in a mark of its own.
 */

/** An object whose unknown members are errors that name the nearest valid one. */
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

/** A list; an empty place in the file, such as `keys:` with nothing below, is an empty list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (input) => input ?? undefined,
    z.array(item, { error: 'must be a list' }).optional(),
  )
}
