import { Input, SegmentedControl, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { memoized } from '../parts/forms/memoized.tsx'
import { Select } from '../parts/forms/select.tsx'
import type { Reach } from './reach.ts'

interface ReachFieldProps {
  /** Whether the user may choose the whole gateway. */
  readonly isOperator: boolean
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
  readonly reach: Reach
  readonly accountId: string | null
  readonly error: string | undefined
  /** The meaning of the choice. */
  readonly text?: string
  readonly onChange: (change: { reach?: Reach; accountId?: string }) => void
}

/**
 * Scope of a token or an alert: the gateway or one account. Renders nothing for an owner of one account, who has no
 * choice.
 */
export const ReachField = memoized(function ReachField(props: ReachFieldProps) {
  const { isOperator, accounts, reach, accountId, error, text, onChange } = props
  const { t } = useTranslation()
  if (!isOperator && accounts.length < 2) return null
  const select = (
    <Select
      {...(isOperator ? { 'aria-label': t('tokens.account') } : { label: t('tokens.account') })}
      placeholder={t('account.choose')}
      data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
      value={accountId}
      error={error}
      allowDeselect={false}
      searchable={accounts.length > 8}
      onChange={(id) => id !== null && onChange({ accountId: id })}
    />
  )
  if (!isOperator) return select
  return (
    <Input.Wrapper label={t('tokens.form.reach')} labelElement="div" description={text}>
      <Stack gap="xs" mt={6}>
        <SegmentedControl
          aria-label={t('tokens.form.reach')}
          fullWidth
          size="xs"
          data={[
            { value: 'gateway', label: t('tokens.wholeGateway') },
            { value: 'account', label: t('tokens.form.oneAccount') },
          ]}
          value={reach}
          onChange={(value) => onChange({ reach: value === 'account' ? 'account' : 'gateway' })}
        />
        {reach === 'account' && select}
      </Stack>
    </Input.Wrapper>
  )
})
