import { Alert, Anchor, Group, Stack, Switch, TagsInput, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addressProblem, isAddressAllowed } from '../../../src/console-api/contract/rules.ts'
import { IconAlertTriangle } from '../icons/icons.ts'
import { memoized } from '../parts/forms/memoized.tsx'
import { useRuleText } from '../parts/forms/use-rule-text.ts'

interface AddressFieldProps {
  readonly isFenced: boolean
  readonly addresses: readonly string[]
  /** The address of this browser. Absent if the key or token is not used from here. */
  readonly yourAddress?: string
  readonly error: string | undefined
  readonly onFence: (isFenced: boolean) => void
  readonly onChange: (addresses: string[]) => void
}

/** Allowed addresses of a key or token. Warns if the list excludes the address of this browser. */
export const AddressField = memoized(function AddressField(props: AddressFieldProps) {
  const { isFenced, addresses, yourAddress, error, onFence, onChange } = props
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const wrong = addresses.find((address) => addressProblem(address) !== undefined)
  const message = wrong === undefined ? null : ruleText(addressProblem(wrong))
  const problem = message === null ? error : t('error.inField', { field: wrong, message })
  const isLockedOut =
    yourAddress !== undefined && problem === undefined && !isAddressAllowed(yourAddress, addresses)
  return (
    <Stack gap="xs">
      <Switch
        label={t('keys.form.addresses')}
        description={t('keys.form.addressesText')}
        checked={isFenced}
        onChange={(event) => onFence(event.currentTarget.checked)}
      />
      {isFenced && (
        <>
          <TagsInput
            aria-label={t('keys.form.addressList')}
            placeholder={t('keys.form.addressHint')}
            value={[...addresses]}
            onChange={onChange}
            error={problem}
            splitChars={[',', ' ', ';']}
            acceptValueOnBlur
            clearable
          />
          {yourAddress !== undefined && (
            <Group gap={6}>
              <Text size="xs" c="dimmed">
                {t('keys.form.yourAddress')}
              </Text>
              <Text size="xs" ff="monospace">
                {yourAddress}
              </Text>
              {!addresses.includes(yourAddress) && (
                <Anchor
                  component="button"
                  type="button"
                  size="xs"
                  onClick={() => onChange([...addresses, yourAddress])}
                >
                  {t('keys.form.addYours')}
                </Anchor>
              )}
            </Group>
          )}
          {isLockedOut && (
            <Alert color="orange" icon={<IconAlertTriangle size={18} />} py="xs" role="status">
              {addresses.length === 0
                ? t('keys.form.noAddress')
                : t('keys.form.lockedOut', { address: yourAddress })}
            </Alert>
          )}
        </>
      )}
    </Stack>
  )
})
