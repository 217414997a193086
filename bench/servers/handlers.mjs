// What the ten tools do, the same for every contestant: a little work on the arguments, and a text.

export const searchIssues = ({ query, state, labels = [], limit }) =>
  `${limit} ${state} issues about "${query}"${labels.length > 0 ? ` labelled ${labels.join(' and ')}` : ''}`;

export const getIssue = ({ project, number, comments }) =>
  JSON.stringify({
    key: `${project}-${number}`,
    state: 'open',
    comments: comments ? ['first', 'second'] : undefined,
  });

export const createIssue = ({ project, title, body = '', priority, labels = [], assignee = 'nobody' }) =>
  `${project}-100: ${title} (${priority}, ${labels.length} labels, ${body.length} characters) for ${assignee}`;

export const updateIssue = ({ project, number, ...changes }) =>
  `${project}-${number} now has ${Object.entries(changes)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}`;

export const addComment = ({ project, number, text }) =>
  `${project}-${number}: ${text.length} characters added`;

export const listProjects = ({ archived, limit }) =>
  ['CORE', 'WEB', ...(archived ? ['OLD'] : [])].slice(0, limit).join(', ');

export const logTime = ({ project, number, hours, note = '' }) =>
  `${hours} h on ${project}-${number}. ${note}`;

export const estimateCost = ({ hours, rate, currency }) => `${(hours * rate).toFixed(2)} ${currency}`;

export const planSprint = ({ name, issues, capacity }) =>
  `${name}: ${issues.slice(0, Math.floor(capacity / 20)).join(', ')}`;

export const summarize = ({ project, by, days }) => `${project}, last ${days} days: 3 ${by} groups`;
