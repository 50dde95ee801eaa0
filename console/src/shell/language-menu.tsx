import { ActionIcon, Menu } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { languages as choices } from '../../../src/console-api/contract.ts'
import { languages } from '../i18n/start-i18n.ts'
import { IconCheck, IconLanguage } from '../icons/icons.ts'
import { usePreferences } from './use-preferences.ts'

export function LanguageMenu() {
  const { t, i18n } = useTranslation()
  const preferences = usePreferences()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('language.label')}>
          <IconLanguage size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            onClick={() => void preferences.chooseLanguage(language)}
            rightSection={i18n.language === language && <IconCheck size={14} />}
          >
            {languages[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
