/**
 * The members whose value differs from the one that the form showed at first. A form saves only these: what another
 * person has changed meanwhile stays as it is, unless both changed the same member.
 */
export function changedMembers<Body extends object>(now: Body, before: Body): Partial<Body> {
  const former = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(former.get(name)),
  )
  return Object.fromEntries(changed) as Partial<Body>
}
