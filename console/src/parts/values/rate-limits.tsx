import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limitNames } from '../../../../src/fields/limit-fields.ts'

interface RateLimitsProps {
  readonly limits: Readonly<Record<(typeof limitNames)[number], number | null>>
}

/** The rate limits of a resource in one line; nothing if it has none. */
export function RateLimits({ limits }: RateLimitsProps) {
  const { t } = useTranslation()
  const texts = limitNames.flatMap((name) =>
    limits[name] === null ? [] : [t(`limits.${name}`, { count: limits[name] })],
  )
  if (texts.length === 0) return null
  return (
    <Text size="xs" c="dimmed" className="figures" style={{ whiteSpace: 'normal' }}>
      {t('limits.list', { limits: texts.join(' · ') })}
    </Text>
  )
}
