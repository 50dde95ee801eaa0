import { ActionIcon, Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UserRow } from '../../../../src/console-api/contract.ts'
import { roles } from '../../account/roles.ts'
import { IconX } from '../../icons/icons.ts'
import { memoized } from '../../parts/forms/memoized.tsx'
import { Select } from '../../parts/forms/select.tsx'
import { AccountSelect } from '../parts/account-select.tsx'

export type Memberships = UserRow['accounts']

/** Accounts of a user with the role in each. */
export const MembershipFields = memoized(function MembershipFields(props: {
  value: Memberships
  onChange: (memberships: Memberships) => void
}) {
  const { t } = useTranslation()
  const { value, onChange } = props
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t('people.accounts')}
      </Text>
      {value.map((membership) => (
        <Paper key={membership.id} withBorder px="sm" py={6}>
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {membership.name}
            </Text>
            <Group gap={4} wrap="nowrap">
              {membership.source === 'open-id' && (
                <Badge color="blue">{t('people.source.open-id')}</Badge>
              )}
              <Select
                size="xs"
                w={120}
                aria-label={t('people.roleIn', { name: membership.name })}
                data={roles.map((role) => ({ value: role, label: t(`people.role.${role}`) }))}
                allowDeselect={false}
                disabled={membership.source === 'open-id'}
                value={membership.role}
                onChange={(chosen) => {
                  const role = roles.find((each) => each === chosen)
                  if (role === undefined) return
                  onChange(value.map((each) => (each === membership ? { ...each, role } : each)))
                }}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={membership.source === 'open-id'}
                aria-label={t('order.remove', { name: membership.name })}
                onClick={() => onChange(value.filter((each) => each !== membership))}
              >
                <IconX size={16} />
              </ActionIcon>
            </Group>
          </Group>
        </Paper>
      ))}
      {value.some(({ source }) => source === 'open-id') && (
        <Text size="xs" c="dimmed">
          {t('people.openIdText')}
        </Text>
      )}
      <AccountSelect
        aria-label={t('people.addMembership')}
        placeholder={t('people.addMembership')}
        without={value.map(({ id }) => id)}
        onChoose={({ id, name }) =>
          onChange([...value, { id, name, role: 'member', source: 'manual' }])
        }
      />
    </Stack>
  )
})
