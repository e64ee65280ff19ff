import { Menu } from '@mantine/core';
import { useState } from 'react';
import { t } from '#texts';
import { chooseLanguage, languageNames, languages, ownLanguage } from '../language';

/** The language of anyone who has not chosen one here. */
const asTheClinic = '';

/** A person's own language in this browser, or the clinic's. */
export function LanguageChoice() {
  const [own, setOwn] = useState(ownLanguage);
  const choose = (chosen: string) => {
    const language = languages.find((each) => each === chosen) ?? null;
    setOwn(language);
    chooseLanguage(language);
  };
  return (
    <>
      <Menu.Label>{t`Language`}</Menu.Label>
      <Menu.RadioGroup value={own ?? asTheClinic} onChange={choose}>
        <Menu.RadioItem value={asTheClinic}>{t`As the clinic`}</Menu.RadioItem>
        {languages.map((language) => (
          <Menu.RadioItem key={language} value={language} lang={language}>
            {languageNames[language]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}
