"""The two users of Table 9 of PIPBench, in the questionnaire's labels."""

from eyeprint.records.profiles import Profile

USER_1 = Profile(
    id="u1",
    kind="person",
    answers={
        "Q1": "Medicine",
        "Q2": "Female",
        "Q3": ("Easygoing",),
        "Q4": "Minimalist and functional",
        "Q5": ("Urban exploration", "Exhibitions"),
        "Q6": ("Minimalist and smart casual",),
        "Q7": ("Anime and comics", "Gaming", "Music", "Reading", "Pets"),
        "Q8": ("Fashion and beauty", "Pets", "Food"),
        "Q9": ("Xiaohongshu", "Bilibili", "WeChat", "Douyin and TikTok"),
        "Q10": "INTP",
        "Q11": 4,
        "Q12": 7,
        "Q13": 2,
        "Q14": 5,
        "Q15": 3,
        "Q16": ("Self-Direction", "Stimulation", "Hedonism"),
        "Q17": "Never used",
        "Q18": ("Urban minimalist tones",),
    },
)
USER_2 = Profile(
    id="u2",
    kind="person",
    answers={
        "Q1": "Science",
        "Q2": "Male",
        "Q3": ("Student organisation leader", "Easygoing"),
        "Q4": "Cosy and healing",
        "Q5": ("Natural scenery", "Historical sites", "Cultural tours"),
        "Q6": ("Athleisure", "Minimalist and smart casual"),
        "Q7": ("Gaming", "Handicrafts", "Exploring nature", "Pets"),
        "Q8": ("Film and anime commentary", "Game streaming", "Pets", "Food"),
        "Q9": ("Xiaohongshu", "Bilibili", "Zhihu", "WeChat", "QQ", "Douyin and TikTok"),
        "Q10": "ISFJ",
        "Q11": 4,
        "Q12": 3,
        "Q13": 4,
        "Q14": 4,
        "Q15": 0,
        "Q16": ("Hedonism", "Security"),
        "Q17": "1 to 3 times a year",
        "Q18": ("Cool ocean tones",),
    },
)
