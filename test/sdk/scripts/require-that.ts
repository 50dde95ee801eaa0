export function requireThat(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(`the upstream would refuse this: ${what}`)
}
