/** A command that works when pasted if TOLLGATE_KEY is set. */
export function exampleCommand(model: string | null): string {
  return [
    `curl ${window.location.origin}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"model":"${model ?? '<model id>'}","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n')
}
