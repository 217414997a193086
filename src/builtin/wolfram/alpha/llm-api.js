import { ask } from '../services/ask.js';
import { addressAt, services } from '../services/services.js';

const accepts = Object.assign((type) => type.startsWith('text/') && type !== 'text/html', { wanted: 'text' });

/** Request parameters, by option. */
const parameters = {
  MaxCharacters: 'maxchars',
  Units: 'units',
  Location: 'location',
  TimeZone: 'timezone',
  Currency: 'currency',
  Country: 'countrycode',
  Language: 'languagecode',
};

/** The answer to a query as text for models. @throws Failure @see https://products.wolframalpha.com/llm-api/documentation */
export async function askForText({ query, assumption }, { key, options, signal }) {
  const set = Object.entries(parameters).filter(([option]) => options[option] !== undefined);
  const url = addressAt(services.llm, 'api/v1/llm-api', {
    input: query,
    assumption,
    ...Object.fromEntries(set.map(([option, name]) => [name, options[option]])),
  });
  // Sent as a header, not as a parameter: logs contain URLs.
  const headers = { authorization: `Bearer ${key.value}`, accept: 'text/plain' };
  const seconds = options.TimeConstraint;
  const { text, isCut } = await ask(services.llm, url, { key, headers, seconds, signal, accepts });
  return isCut ? `${text}\n… (cut: the answer is longer than this)` : text.trim();
}
