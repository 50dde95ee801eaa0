import { Checkbox, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type AdminScope, adminScopes } from '../../../src/console-api/contract.ts'
import { memoized } from '../parts/forms/memoized.tsx'

interface ScopeFieldProps {
  readonly scopes: readonly AdminScope[]
  readonly error: string | undefined
  readonly onChange: (scopes: readonly AdminScope[]) => void
}

/** The scopes of a token. `all` includes every other scope. */
export const ScopeField = memoized(function ScopeField({
  scopes,
  error,
  onChange,
}: ScopeFieldProps) {
  const { t } = useTranslation()
  const hasAll = scopes.includes('all')
  return (
    <Checkbox.Group
      label={t('tokens.scopes')}
      value={hasAll ? [...adminScopes] : [...scopes]}
      error={error}
      onChange={(chosen) => {
        const isAll = chosen.includes('all')
        // Unchecking `all` unchecks every scope.
        if (hasAll && !isAll) return onChange([])
        onChange(isAll ? ['all'] : adminScopes.filter((scope) => chosen.includes(scope)))
      }}
    >
      <Stack gap="sm" mt="xs" mb={error === undefined ? 0 : 'xs'}>
        {adminScopes.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            disabled={hasAll && scope !== 'all'}
            label={t(`tokens.scope.${scope}`)}
            description={t(`tokens.scopeText.${scope}`)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
})
